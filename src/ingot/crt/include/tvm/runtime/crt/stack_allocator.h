/* An allocator over memory of the application, freed in reverse order. */
#ifndef TVM_RUNTIME_CRT_STACK_ALLOCATOR_H_
#define TVM_RUNTIME_CRT_STACK_ALLOCATOR_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/runtime/crt/error_codes.h>

#include "crt_config.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TVM_RUNTIME_ALLOC_ALIGNMENT_BYTES
#define TVM_RUNTIME_ALLOC_ALIGNMENT_BYTES 16
#endif

typedef struct {
  uint8_t *next_alloc;
  uint8_t *workspace;
  size_t workspace_size;
} tvm_workspace_t;

tvm_crt_error_t StackMemoryManager_Init(tvm_workspace_t *tvm_runtime_workspace, uint8_t *g_aot_memory, size_t workspace_size);

/* kTvmErrorPlatformNoMemory: not enough is left. */
tvm_crt_error_t StackMemoryManager_Allocate(tvm_workspace_t *tvm_runtime_workspace, int32_t nbytes, void **current_alloc);

/* Frees an allocation and all that came after it. With TVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK defined when the runtime was
 * compiled, anything but the last one is kTvmErrorPlatformStackAllocBadFree. */
tvm_crt_error_t StackMemoryManager_Free(tvm_workspace_t *tvm_runtime_workspace, void *ptr);

#ifdef __cplusplus
}
#endif

#endif
