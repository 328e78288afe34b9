/* A platform for tests: counts what is allocated, and fails when it is told to. And operators that touch every byte they are given. */
#ifndef CRT_PLATFORM_H
#define CRT_PLATFORM_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/runtime/crt/crt.h>
#include <tvm/runtime/crt/graph_executor.h>
#include <tvm/runtime/crt/logging.h>
#include <tvm/runtime/crt/module.h>
#include <tvm/runtime/crt/ndarray.h>
#include <tvm/runtime/crt/packed_func.h>

static long alive;
static long until_failure = -1; /* allocations that are good before all fail; negative: none fails */

void TVMPlatformAbort(tvm_crt_error_t code) {
  fprintf(stderr, "abort 0x%x: %s\n", (unsigned)code, TVMGetLastError());
  abort();
}

tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr) {
  (void)dev;
  *out_ptr = NULL;
  if (until_failure == 0 || num_bytes > (64u << 20)) {
    return kTvmErrorPlatformNoMemory;
  }
  if (until_failure > 0) {
    until_failure--;
  }
  *out_ptr = malloc(num_bytes);
  if (*out_ptr == NULL) {
    return kTvmErrorPlatformNoMemory;
  }
  memset(*out_ptr, 0xa5, num_bytes);
  alive++;
  return kTvmErrorNoError;
}

tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev) {
  (void)dev;
  free(ptr);
  alive--;
  return kTvmErrorNoError;
}

tvm_crt_error_t TVMPlatformGenerateRandom(uint8_t *buffer, size_t num_bytes) {
  memset(buffer, 0x5a, num_bytes);
  return kTvmErrorNoError;
}

/* Bytes of a tensor, by its own numbers. */
static size_t bytes_of(const DLTensor *tensor) {
  size_t bytes = ((size_t)tensor->dtype.bits * tensor->dtype.lanes + 7) / 8;
  for (int i = 0; i < tensor->ndim; i++) {
    bytes *= (size_t)tensor->shape[i];
  }
  return bytes;
}

/* Writes every byte of the last tensor, from every byte of the others. */
static int touch(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource) {
  unsigned char sum = 1;
  (void)ret;
  (void)ret_code;
  if (resource == NULL || count < 1) {
    return -1;
  }
  for (int i = 0; i < count; i++) {
    const DLTensor *const tensor = args[i].v_handle;
    if (codes[i] != kTVMNDArrayHandle || tensor->data == NULL) {
      return -1;
    }
    for (size_t at = 0; at < bytes_of(tensor); at++) {
      unsigned char *const byte = (unsigned char *)tensor->data + at;
      if (i + 1 < count) {
        sum = (unsigned char)(sum + *byte);
      } else {
        *byte = sum;
      }
    }
  }
  return 0;
}

/* out = a + b of float32[4] */
static int add(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource) {
  float *values[3];
  (void)ret;
  (void)ret_code;
  (void)resource;
  if (count != 3) {
    return -1;
  }
  for (int i = 0; i < 3; i++) {
    const DLTensor *const tensor = args[i].v_handle;
    if (codes[i] != kTVMNDArrayHandle || tensor->dtype.code != kDLFloat || tensor->dtype.bits != 32 || bytes_of(tensor) != 16) {
      return -1;
    }
    values[i] = tensor->data;
  }
  for (int i = 0; i < 4; i++) {
    values[2][i] = values[0][i] + values[1][i];
  }
  return 0;
}

static int broken(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource) {
  (void)args;
  (void)codes;
  (void)count;
  (void)ret;
  (void)ret_code;
  (void)resource;
  TVMAPISetLastError("the operator is broken");
  return -7;
}

const TVMModule *TVMSystemLibEntryPoint(void) {
  static const TVMBackendPackedCFunc functions[] = {touch, add, broken};
  static const TVMFuncRegistry registry = {"\003\000touch\000add\000broken\000", functions};
  static const TVMModule module = {&registry};
  return &module;
}

/* Starts the runtime and gives the handle of the operators. */
static TVMModuleHandle start(void) {
  static const TVMArgs none;
  TVMPackedFunc library;
  if (TVMInitializeRuntime() != kTvmErrorNoError || TVMPackedFunc_InitGlobalFunc(&library, "runtime.SystemLib", &none) != 0 ||
      TVMPackedFunc_Call(&library) != 0) {
    abort();
  }
  return TVMArgs_AsModuleHandle(&library.ret_value, 0);
}

static const DLDevice cpu = {kDLCPU, 0};

/* x and the parameter p0 of float32[4]; y = add(x, p0), z = touch(y, x), y as another shape */
#define GRAPH                                                                                                              \
  "{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, {\"op\": \"null\", \"name\": \"p0\", \"inputs\": []},\n" \
  "{\"op\": \"tvm_op\", \"name\": \"y\", \"attrs\": {\"func_name\": \"add\", \"num_inputs\": \"2\", \"num_outputs\": \"1\", " \
  "\"flatten_data\": \"0\", \"hash\": \"\\u00e9\\n\"}, \"inputs\": [[0, 0, 0], [1, 0]]},\n"                                \
  "{\"inputs\": [[2, 0, 0], [0, 0, 0]], \"attrs\": {\"flatten_data\": \"0\", \"num_outputs\": \"1\", \"num_inputs\": \"2\", " \
  "\"func_name\": \"touch\"}, \"name\": \"z\", \"op\": \"tvm_op\"},\n"                                                     \
  "{\"op\": \"tvm_op\", \"name\": \"n\", \"attrs\": {\"func_name\": \"__nop\", \"num_inputs\": \"1\", \"num_outputs\": "   \
  "\"1\", \"flatten_data\": \"0\"}, \"inputs\": [[2, 0, 0]]}],\n"                                                          \
  "\"arg_nodes\": [0, 1], \"heads\": [[2, 0, 0], [3, 0, 0], [4, 0, 0]],\n"                                                 \
  "\"attrs\": {\"dltype\": [\"list_str\", [\"float32\", \"float32\", \"float32\", \"int8\", \"float32\"]],\n"              \
  "\"device_index\": [\"list_int\", [1, 1, 1, 1, 1]], \"storage_id\": [\"list_int\", [0, 1, 2, 3, 2]],\n"                  \
  "\"shape\": [\"list_shape\", [[4], [4], [4], [2, 3], [2, 2]]]},\n"                                                       \
  "\"node_row_ptr\": [0, 1, 2, 3, 4, 5], \"metadata\": {\"a\": [1.5e3, true, null, {\"b\": -0.25}]}}"

static size_t put_number(char *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) {
    to[i] = (char)(value >> (8 * i) & 0xff);
  }
  return bytes;
}

/* The file of the parameter p0 = 10, 20, 30, 40. Gives its size. */
#define PARAMS_ROOM 256
static size_t make_params(char *to) {
  static const float values[4] = {10.0f, 20.0f, 30.0f, 40.0f};
  size_t at = put_number(to, UINT64_C(0xF7E58D4F05049CB7), 8);
  at += put_number(to + at, 0, 8);
  at += put_number(to + at, 1, 8);
  at += put_number(to + at, 2, 8);
  memcpy(to + at, "p0", 2);
  at += 2;
  at += put_number(to + at, 1, 8);
  at += put_number(to + at, UINT64_C(0xDD5E40F096B4A13F), 8);
  at += put_number(to + at, 0, 8);
  at += put_number(to + at, 1, 4);
  at += put_number(to + at, 0, 4);
  at += put_number(to + at, 1, 4);
  at += put_number(to + at, 2 | 32 << 8 | 1 << 16, 4);
  at += put_number(to + at, 4, 8);
  at += put_number(to + at, sizeof values, 8);
  memcpy(to + at, values, sizeof values);
  return at + sizeof values;
}

/* Everything that an application may do with an executor, whatever it is: gives inputs and takes outputs of the right sizes. */
static void use(TVMGraphExecutor *executor, const char *params, size_t params_bytes) {
  float four[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  int64_t shape[1] = {4};
  DLTensor input = {four, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, NULL, 0};
  char room[64];
  int64_t out_shape[2] = {2, 3};
  DLTensor output = {room, {kDLCPU, 0}, 2, {kDLInt, 8, 1}, out_shape, NULL, 0};
  const int inputs = TVMGraphExecutor_GetNumInputs(executor), outputs = TVMGraphExecutor_GetNumOutputs(executor);
  (void)TVMGraphExecutor_GetInputIndex(executor, "x");
  if (inputs < 0 || outputs < 0) {
    abort();
  }
  (void)TVMGraphExecutor_LoadParams(executor, params, (uint32_t)params_bytes);
  (void)TVMGraphExecutor_SetInput(executor, "x", &input);
  (void)TVMGraphExecutor_SetInput(executor, "p0", &input);
  for (int i = 0; i < 2; i++) {
    if (TVMGraphExecutor_Run(executor) == 0) {
      for (int k = -1; k <= outputs && k < 20; k++) {
        (void)TVMGraphExecutor_GetOutput(executor, k, &output);
        (void)TVMGraphExecutor_GetOutput(executor, k, &input);
      }
    }
  }
}

#endif
