/* An allocator over memory of the application, in pages. */
#ifndef TVM_RUNTIME_CRT_PAGE_ALLOCATOR_H_
#define TVM_RUNTIME_CRT_PAGE_ALLOCATOR_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/error_codes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MemoryManagerInterface MemoryManagerInterface;

struct MemoryManagerInterface {
  /* Memory of at least `num_bytes`, at most 64 bytes aligned; `dev` must be {kDLCPU, 0}. */
  tvm_crt_error_t (*Allocate)(MemoryManagerInterface *manager, size_t num_bytes, DLDevice dev, void **out_ptr);
  /* Takes back what Allocate gave; kTvmErrorPlatformCheckFailure for anything else. */
  tvm_crt_error_t (*Free)(MemoryManagerInterface *manager, void *ptr, DLDevice dev);
  int vleak_size; /* how many allocations were not freed yet */
};

/* Makes an allocator inside `memory_pool`, its table in front. Pages have 2 to the power of `page_size_bytes_log2` bytes. */
tvm_crt_error_t PageMemoryManagerCreate(MemoryManagerInterface **manager, uint8_t *memory_pool, size_t memory_pool_size_bytes,
                                        size_t page_size_bytes_log2);

/* Its older name. */
tvm_crt_error_t MemoryManagerCreate(MemoryManagerInterface **manager, uint8_t *memory_pool, size_t memory_pool_size_bytes,
                                    size_t page_size_bytes_log2);

#ifdef __cplusplus
}
#endif

#endif
