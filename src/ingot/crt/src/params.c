/* Tensors in files of parameters. All numbers have the lower byte first and stand at any address. */
#include "crt_internal.h"

static uint64_t number(const char *at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = bytes; i-- > 0;) {
    value = value << 8 | (unsigned char)at[i];
  }
  return value;
}

static int read(const char **at, const char *end, size_t bytes, uint64_t *value) {
  if ((size_t)(end - *at) < bytes) {
    return -1;
  }
  *value = number(*at, bytes);
  *at += bytes;
  return 0;
}

int ingot_crt_read_u64(const char **at, const char *end, uint64_t *value) {
  return read(at, end, 8, value);
}

static int bad(const char *what) {
  return ingot_crt_fail(kTvmErrorExecutorBadParams, "parameters", what);
}

int ingot_crt_read_record(const char **at, const char *end, struct ingot_crt_record *record) {
  uint64_t magic, reserved, device_type, device_id, ndim, code, bits, lanes, bytes;
  size_t computed;
  const DLDataType none = {0, 0, 0};
  record->dtype = none;
  if (read(at, end, 8, &magic) != 0 || read(at, end, 8, &reserved) != 0 || read(at, end, 4, &device_type) != 0 ||
      read(at, end, 4, &device_id) != 0 || read(at, end, 4, &ndim) != 0 || read(at, end, 1, &code) != 0 ||
      read(at, end, 1, &bits) != 0 || read(at, end, 2, &lanes) != 0) {
    return bad("a tensor is cut off");
  }
  if (magic != kTVMNDArrayMagic) {
    return bad("what should be a tensor is none");
  }
  if (device_type != kDLCPU) {
    return bad("a tensor is not for the CPU");
  }
  if (ndim > TVM_CRT_MAX_NDIM) {
    return bad("a tensor has more than TVM_CRT_MAX_NDIM dimensions");
  }
  record->dtype.code = (uint8_t)code;
  record->dtype.bits = (uint8_t)bits;
  record->dtype.lanes = (uint16_t)lanes;
  if (lanes != 1 || !(bits == 8 || bits == 16 || bits == 32 || bits == 64 || (bits == 1 && code == kDLUInt))) {
    return bad("a tensor's type is not supported");
  }
  record->ndim = (int32_t)ndim;
  for (int32_t i = 0; i < record->ndim; i++) {
    uint64_t extent;
    if (read(at, end, 8, &extent) != 0) {
      return bad("a tensor is cut off");
    }
    if (extent > INT64_MAX) {
      return bad("a tensor's shape is negative");
    }
    record->shape[i] = (int64_t)extent;
  }
  if (read(at, end, 8, &bytes) != 0) {
    return bad("a tensor is cut off");
  }
  if (ingot_crt_bytes(record->dtype, record->ndim, record->shape, &computed) != 0 || computed != bytes) {
    return bad("a tensor's size does not follow from its shape");
  }
  if (bytes > (size_t)(end - *at)) {
    return bad("a tensor is cut off");
  }
  record->data = *at;
  record->bytes = computed;
  *at += computed;
  return 0;
}

void ingot_crt_copy_elements(void *to, const char *from, size_t bytes, size_t element_bytes) {
  const uint16_t probe = 1;
  unsigned char first;
  memcpy(&first, &probe, 1);
  if (first == 1 || element_bytes == 1) {
    if (bytes != 0) {
      memcpy(to, from, bytes);
    }
    return;
  }
  for (size_t i = 0; i < bytes; i++) { /* the higher byte comes first here */
    const size_t within = i % element_bytes;
    ((char *)to)[i - within + (element_bytes - 1 - within)] = from[i];
  }
}
