/* Tensors that own their memory. */
#include "crt_internal.h"

int TVMNDArray_Create(int32_t ndim, const tvm_index_t *shape, DLDataType dtype, DLDevice dev, TVMNDArray *array) {
  size_t bytes;
  memset(array, 0, sizeof *array);
  if (ingot_crt_bytes(dtype, ndim, shape, &bytes) != 0) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "tensor: its type or shape cannot be", NULL);
  }
  array->dl_tensor.shape = ingot_crt_allocate(sizeof(int64_t) * (ndim == 0 ? 1u : (size_t)ndim));
  if (array->dl_tensor.shape == NULL) {
    return ingot_crt_fail(kTvmErrorPlatformNoMemory, "tensor: no memory", NULL);
  }
  if (ndim != 0) {
    memcpy(array->dl_tensor.shape, shape, sizeof(int64_t) * (size_t)ndim);
  }
  array->dl_tensor.ndim = ndim;
  array->dl_tensor.dtype = dtype;
  array->dl_tensor.device = dev;
  array->reference_count = 1;
  return 0;
}

int TVMNDArray_Empty(int32_t ndim, const tvm_index_t *shape, DLDataType dtype, DLDevice dev, TVMNDArray *array) {
  size_t bytes = 0;
  const int status = TVMNDArray_Create(ndim, shape, dtype, dev, array);
  if (status != 0) {
    return status;
  }
  (void)ingot_crt_bytes(dtype, ndim, shape, &bytes);
  array->dl_tensor.data = ingot_crt_allocate(bytes == 0 ? 1 : bytes);
  if (array->dl_tensor.data == NULL) {
    (void)TVMNDArray_Release(array);
    return ingot_crt_fail(kTvmErrorPlatformNoMemory, "tensor: no memory", NULL);
  }
  memset(array->dl_tensor.data, 0, bytes == 0 ? 1 : bytes);
  return 0;
}

int64_t TVMNDArray_DataSizeBytes(TVMNDArray *array) {
  size_t bytes;
  const DLTensor *tensor = &array->dl_tensor;
  return ingot_crt_bytes(tensor->dtype, tensor->ndim, tensor->shape, &bytes) != 0 ? -1 : (int64_t)bytes;
}

int TVMNDArray_RandomFill(TVMNDArray *array) {
  const int64_t bytes = TVMNDArray_DataSizeBytes(array);
  if (bytes < 0 || array->dl_tensor.data == NULL) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "tensor: there is nothing to fill", NULL);
  }
  return ingot_crt_random(array->dl_tensor.data, (size_t)bytes);
}

int TVMNDArray_LoadBounded(TVMNDArray *ret, const char **strm, const char *end) {
  struct ingot_crt_record record;
  const char *at = *strm;
  const DLDevice processor = {kDLCPU, 0};
  int status = ingot_crt_read_record(&at, end, &record);
  if (status == 0) {
    status = TVMNDArray_Empty(record.ndim, record.shape, record.dtype, processor, ret);
  }
  if (status != 0) {
    return status;
  }
  ingot_crt_copy_elements(ret->dl_tensor.data, record.data, record.bytes, ingot_crt_element_bytes(record.dtype));
  *strm = at;
  return 0;
}

int TVMNDArray_Load(TVMNDArray *ret, const char **strm) {
  /* No length comes with it, so its own numbers say where it ends: half of all memory is more than any tensor. */
  const uintptr_t most = UINTPTR_MAX - (uintptr_t)*strm < SIZE_MAX / 2 ? UINTPTR_MAX - (uintptr_t)*strm : SIZE_MAX / 2;
  return TVMNDArray_LoadBounded(ret, strm, *strm + most);
}

int TVMNDArray_CreateView(TVMNDArray *arr, const tvm_index_t *shape, int32_t ndim, DLDataType dtype, TVMNDArray *array_view) {
  size_t bytes;
  int status;
  if (ingot_crt_bytes(dtype, ndim, shape, &bytes) != 0 || (int64_t)bytes > TVMNDArray_DataSizeBytes(arr)) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "tensor: a view is larger than the tensor", NULL);
  }
  status = TVMNDArray_Create(ndim, shape, dtype, arr->dl_tensor.device, array_view);
  if (status == 0) {
    array_view->dl_tensor.data = arr->dl_tensor.data;
    array_view->dl_tensor.byte_offset = arr->dl_tensor.byte_offset;
    array_view->is_view = 1;
  }
  return status;
}

void TVMNDArray_IncrementReference(TVMNDArray *arr) {
  arr->reference_count++;
}

uint32_t TVMNDArray_DecrementReference(TVMNDArray *arr) {
  if (arr->reference_count > 0) {
    arr->reference_count--;
  }
  return arr->reference_count;
}

int TVMNDArray_Release(TVMNDArray *arr) {
  int status;
  if (TVMNDArray_DecrementReference(arr) > 0) {
    return 0;
  }
  status = arr->is_view ? 0 : ingot_crt_free(arr->dl_tensor.data);
  if (status == 0) {
    arr->dl_tensor.data = NULL;
    status = ingot_crt_free(arr->dl_tensor.shape);
  }
  if (status == 0) {
    arr->dl_tensor.shape = NULL;
  }
  return status;
}
