/* What the files of the runtime share, and nobody else uses. */
#ifndef INGOT_CRT_INTERNAL_H
#define INGOT_CRT_INTERNAL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/error_codes.h>
#include <tvm/runtime/crt/internal/common/ndarray.h>
#include <tvm/runtime/crt/platform.h>

#include "crt_config.h"

#if defined(__GNUC__)
#define INGOT_HIDDEN __attribute__((visibility("hidden")))
#else
#define INGOT_HIDDEN
#endif

/* Keeps "what: name" (or "what") for TVMGetLastError and gives the code. */
INGOT_HIDDEN int ingot_crt_fail(tvm_crt_error_t code, const char *what, const char *name);

/* Memory from the platform; NULL if there is none, or for 0 bytes. */
INGOT_HIDDEN void *ingot_crt_allocate(size_t bytes);
INGOT_HIDDEN int ingot_crt_free(void *memory);

/* Fills memory by TVMPlatformGenerateRandom, if the platform has it. */
INGOT_HIDDEN int ingot_crt_random(void *memory, size_t bytes);

/* Bytes of a dense tensor; 0 is good, otherwise the type or shape cannot be, or has more bytes than memory can. */
INGOT_HIDDEN int ingot_crt_bytes(DLDataType dtype, int32_t ndim, const int64_t *shape, size_t *bytes);

/* Bytes of one element. */
INGOT_HIDDEN size_t ingot_crt_element_bytes(DLDataType dtype);

/* Whether two types are the same. A boolean has two spellings: one bit of an unsigned integer, or a type of its own. */
INGOT_HIDDEN int ingot_crt_same_type(DLDataType a, DLDataType b);

/* The type of that name; `*dtype` is all zeros if there is none. */
INGOT_HIDDEN void ingot_crt_parse_type(const char *name, DLDataType *dtype);

/* 0 if the tensor is dense and has elements at an address that fits them. */
INGOT_HIDDEN int ingot_crt_check_dense(const DLTensor *tensor);

/* Copies elements that lie in memory with the lower byte first. */
INGOT_HIDDEN void ingot_crt_copy_elements(void *to, const char *from, size_t bytes, size_t element_bytes);

/* A tensor in a file of parameters. */
struct ingot_crt_record {
  DLDataType dtype;
  int32_t ndim;
  int64_t shape[TVM_CRT_MAX_NDIM];
  const char *data;
  size_t bytes;
};

/* Reads numbers with the lower byte first; moves `*at`. 0 is good. */
INGOT_HIDDEN int ingot_crt_read_u64(const char **at, const char *end, uint64_t *value);

/* Reads a tensor; moves `*at` behind it. 0 is good; otherwise the last error says what is wrong. */
INGOT_HIDDEN int ingot_crt_read_record(const char **at, const char *end, struct ingot_crt_record *record);

#endif
