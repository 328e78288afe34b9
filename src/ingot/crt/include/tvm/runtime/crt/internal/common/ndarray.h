/* Tensors that own their memory. */
#ifndef TVM_RUNTIME_CRT_INTERNAL_COMMON_NDARRAY_H_
#define TVM_RUNTIME_CRT_INTERNAL_COMMON_NDARRAY_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/error_codes.h>
#include <tvm/runtime/crt/platform.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Magic numbers of a file of parameters and of a tensor in it. */
#define kTVMNDArrayListMagic UINT64_C(0xF7E58D4F05049CB7)
#define kTVMNDArrayMagic UINT64_C(0xDD5E40F096B4A13F)

typedef struct TVMNDArray {
  DLTensor dl_tensor; /* stays first: a TVMNDArray is a DLTensor */
  uint32_t reference_count;
  uint32_t is_view; /* the memory of its elements belongs to another one */
} TVMNDArray;

/* A tensor without memory for its elements. */
int TVMNDArray_Create(int32_t ndim, const tvm_index_t *shape, DLDataType dtype, DLDevice dev, TVMNDArray *array);

/* A tensor with memory for its elements, which are 0. */
int TVMNDArray_Empty(int32_t ndim, const tvm_index_t *shape, DLDataType dtype, DLDevice dev, TVMNDArray *array);

/* Bytes of all elements; -1 if the shape cannot be. */
int64_t TVMNDArray_DataSizeBytes(TVMNDArray *array);

/* Fills it with random bytes. */
int TVMNDArray_RandomFill(TVMNDArray *array);

/* The tensor at `*strm`, in the form of a file of parameters; `*strm` moves behind it. Nothing behind `end` is read. */
int TVMNDArray_LoadBounded(TVMNDArray *ret, const char **strm, const char *end);

/* The same for bytes that are known to be whole. */
int TVMNDArray_Load(TVMNDArray *ret, const char **strm);

/* Another shape or type for the memory of `arr`, which must be as large; it owns its shape only. */
int TVMNDArray_CreateView(TVMNDArray *arr, const tvm_index_t *shape, int32_t ndim, DLDataType dtype, TVMNDArray *array_view);

void TVMNDArray_IncrementReference(TVMNDArray *arr);

/* One reference less; gives how many are left. */
uint32_t TVMNDArray_DecrementReference(TVMNDArray *arr);

/* One reference less; with the last one its memory is freed. */
int TVMNDArray_Release(TVMNDArray *arr);

#ifdef __cplusplus
}
#endif

#endif
