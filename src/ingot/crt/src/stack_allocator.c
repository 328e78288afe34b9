/* An allocator that moves one pointer. */
#include <tvm/runtime/crt/stack_allocator.h>

#include "crt_internal.h"

#define ALIGNMENT ((size_t)TVM_RUNTIME_ALLOC_ALIGNMENT_BYTES)

#if defined(TVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK)
#define TAG 0xabcd1234u
#define TAG_BYTES sizeof(uint32_t)
#else
#define TAG_BYTES ((size_t)0)
#endif

tvm_crt_error_t StackMemoryManager_Init(tvm_workspace_t *tvm_runtime_workspace, uint8_t *g_aot_memory, size_t workspace_size) {
  const size_t before = (ALIGNMENT - (uintptr_t)g_aot_memory % ALIGNMENT) % ALIGNMENT;
  if (workspace_size < before) {
    return kTvmErrorPlatformNoMemory;
  }
  tvm_runtime_workspace->workspace = g_aot_memory + before;
  tvm_runtime_workspace->next_alloc = g_aot_memory + before;
  tvm_runtime_workspace->workspace_size = workspace_size - before;
  return kTvmErrorNoError;
}

tvm_crt_error_t StackMemoryManager_Allocate(tvm_workspace_t *tvm_runtime_workspace, int32_t nbytes, void **current_alloc) {
  const size_t used = (size_t)(tvm_runtime_workspace->next_alloc - tvm_runtime_workspace->workspace);
  size_t room;
  *current_alloc = NULL;
  if (nbytes < 0) {
    return kTvmErrorPlatformCheckFailure;
  }
  room = ((size_t)nbytes + TAG_BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (tvm_runtime_workspace->workspace_size - used < room) {
    return kTvmErrorPlatformNoMemory;
  }
  *current_alloc = tvm_runtime_workspace->next_alloc;
  tvm_runtime_workspace->next_alloc += room;
#if defined(TVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK)
  {
    const uint32_t tag = TAG ^ (uint32_t)room;
    memcpy(tvm_runtime_workspace->next_alloc - TAG_BYTES, &tag, TAG_BYTES);
  }
#endif
  return kTvmErrorNoError;
}

tvm_crt_error_t StackMemoryManager_Free(tvm_workspace_t *tvm_runtime_workspace, void *ptr) {
  uint8_t *const at = ptr;
  if ((uintptr_t)at < (uintptr_t)tvm_runtime_workspace->workspace ||
      (uintptr_t)at >= (uintptr_t)tvm_runtime_workspace->next_alloc) {
    return kTvmErrorPlatformStackAllocBadFree;
  }
#if defined(TVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK)
  {
    uint32_t tag;
    memcpy(&tag, tvm_runtime_workspace->next_alloc - TAG_BYTES, TAG_BYTES);
    if (tag != (TAG ^ (uint32_t)(tvm_runtime_workspace->next_alloc - at))) {
      return kTvmErrorPlatformStackAllocBadFree;
    }
  }
#endif
  tvm_runtime_workspace->next_alloc = at;
  return kTvmErrorNoError;
}
