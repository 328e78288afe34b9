/* Types and shapes of tensors. */
#include "crt_internal.h"
#include <tvm/runtime/crt/packed_func.h>

size_t ingot_crt_element_bytes(DLDataType dtype) {
  return ((size_t)dtype.bits * dtype.lanes + 7u) / 8u;
}

int ingot_crt_bytes(DLDataType dtype, int32_t ndim, const int64_t *shape, size_t *bytes) {
  const size_t most = SIZE_MAX / 4;
  size_t product = ingot_crt_element_bytes(dtype);
  int empty = 0;
  if (product == 0 || ndim < 0 || ndim > TVM_CRT_MAX_NDIM) {
    return -1;
  }
  for (int32_t i = 0; i < ndim; i++) {
    if (shape[i] < 0 || (uint64_t)shape[i] > most) {
      return -1;
    }
    if (shape[i] == 0) {
      empty = 1;
      continue;
    }
    if (product > most / (size_t)shape[i]) {
      return -1;
    }
    product *= (size_t)shape[i];
  }
  *bytes = empty ? 0 : product;
  return 0;
}

static int is_bool(DLDataType dtype) {
  return dtype.lanes == 1 && ((dtype.code == kDLUInt && dtype.bits == 1) || (dtype.code == kDLBool && dtype.bits == 8));
}

int ingot_crt_same_type(DLDataType a, DLDataType b) {
  return (is_bool(a) && is_bool(b)) || (a.code == b.code && a.bits == b.bits && a.lanes == b.lanes);
}

/* Digits at `*at` as a number of at most `most`; 0 if there are none. */
static uint32_t number(const char **at, uint32_t most) {
  uint32_t value = 0;
  while (**at >= '0' && **at <= '9') {
    value = value * 10u + (uint32_t)(**at - '0');
    if (value > most) {
      return 0;
    }
    *at += 1;
  }
  return value;
}

void ingot_crt_parse_type(const char *name, DLDataType *dtype) {
  static const struct {
    const char *name;
    uint8_t code;
  } kinds[] = {{"int", kDLInt}, {"uint", kDLUInt}, {"float", kDLFloat}, {"bfloat", kDLBfloat}, {"handle", kDLOpaqueHandle}};
  static const DLDataType none = {0, 0, 0}, boolean = {kDLUInt, 1, 1}, handle = {kDLOpaqueHandle, 64, 1};
  *dtype = none;
  if (strcmp(name, "bool") == 0) {
    *dtype = boolean;
    return;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    const size_t length = strlen(kinds[i].name);
    const char *at = name + length;
    uint32_t bits, lanes = 1;
    if (strncmp(name, kinds[i].name, length) != 0) {
      continue;
    }
    if (kinds[i].code == kDLOpaqueHandle && *at == '\0') {
      *dtype = handle;
      return;
    }
    bits = number(&at, 64);
    if (*at == 'x') {
      at++;
      lanes = number(&at, UINT16_MAX);
    }
    if (*at == '\0' && bits != 0 && lanes != 0) {
      dtype->code = kinds[i].code;
      dtype->bits = (uint8_t)bits;
      dtype->lanes = (uint16_t)lanes;
    }
    return;
  }
}

DLDataType String2DLDataType(const char *s) {
  DLDataType dtype = {0, 0, 0};
  if (s != NULL) {
    ingot_crt_parse_type(s, &dtype);
  }
  return dtype;
}

int ingot_crt_check_dense(const DLTensor *tensor) {
  const size_t element = ingot_crt_element_bytes(tensor->dtype);
  const size_t scalar = (tensor->dtype.bits + 7u) / 8u;
  int64_t step = 1;
  size_t bytes;
  if (ingot_crt_bytes(tensor->dtype, tensor->ndim, tensor->shape, &bytes) != 0 || element == 0) {
    return -1;
  }
  if (tensor->strides != NULL && bytes != 0) {
    for (int32_t i = tensor->ndim; i-- > 0;) {
      if (tensor->shape[i] != 1 && tensor->strides[i] != step) {
        return -1;
      }
      step *= tensor->shape[i];
    }
  }
  if (bytes != 0 && tensor->data == NULL) {
    return -1;
  }
  /* Types whose size is no power of two have no alignment. */
  if ((scalar & (scalar - 1u)) == 0 && (((uintptr_t)tensor->data + tensor->byte_offset) & (scalar - 1u)) != 0) {
    return -1;
  }
  return 0;
}
