/* Tensors that own their memory. */
#ifndef TVM_RUNTIME_CRT_NDARRAY_H_
#define TVM_RUNTIME_CRT_NDARRAY_H_

#include <tvm/runtime/crt/internal/common/ndarray.h>

#endif
