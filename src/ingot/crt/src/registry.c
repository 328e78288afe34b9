/* Packed functions by name. */
#include <tvm/runtime/crt/func_registry.h>

#include "crt_internal.h"

#define COUNT_BYTES 2u

/* Code of the oldest tools counts in one byte. Then the second one begins a name, and is a character; otherwise it would say that
 * there are more than 8447 functions. */
#define FIRST_CHARACTER 0x21u
#define MOST_FUNCTIONS (FIRST_CHARACTER * 256u - 1u)

static size_t count_bytes(const TVMFuncRegistry *reg) {
  const unsigned char *count = (const unsigned char *)reg->names;
  return count[0] != 0 && count[1] >= FIRST_CHARACTER ? 1 : COUNT_BYTES;
}

uint16_t TVMFuncRegistry_GetNumFuncs(const TVMFuncRegistry *reg) {
  const unsigned char *count = (const unsigned char *)reg->names;
  return (uint16_t)(count_bytes(reg) == 1 ? count[0] : count[0] | count[1] << 8);
}

/* The index of a name; the number of names if there is none. `*at` moves to the name, or behind the last one. */
static uint16_t find(const TVMFuncRegistry *reg, const char *name, const char **at) {
  const uint16_t count = TVMFuncRegistry_GetNumFuncs(reg);
  uint16_t index = 0;
  *at = reg->names + count_bytes(reg);
  while (index < count && **at != '\0' && strcmp(*at, name) != 0) {
    *at += strlen(*at) + 1;
    index++;
  }
  return index < count && **at == '\0' ? count : index;
}

tvm_crt_error_t TVMFuncRegistry_Lookup(const TVMFuncRegistry *reg, const char *name, tvm_function_index_t *function_index) {
  const char *at;
  const uint16_t index = find(reg, name, &at);
  if (index == TVMFuncRegistry_GetNumFuncs(reg)) {
    return kTvmErrorFunctionNameNotFound;
  }
  *function_index = index;
  return kTvmErrorNoError;
}

tvm_crt_error_t TVMFuncRegistry_GetByIndex(const TVMFuncRegistry *reg, tvm_function_index_t index,
                                           TVMBackendPackedCFunc *out_func) {
  if (index >= TVMFuncRegistry_GetNumFuncs(reg)) {
    return kTvmErrorFunctionIndexInvalid;
  }
  *out_func = reg->funcs[index];
  return kTvmErrorNoError;
}

tvm_crt_error_t TVMMutableFuncRegistry_Create(TVMMutableFuncRegistry *reg, uint8_t *buffer, size_t buffer_size_bytes) {
  const size_t entry = TVM_AVERAGE_FUNCTION_NAME_SIZE_BYTES + 1 + sizeof(TVMBackendPackedCFunc);
  const size_t pointer = sizeof(TVMBackendPackedCFunc);
  size_t count;
  void *funcs;
  if ((uintptr_t)buffer % pointer != 0 || buffer_size_bytes < COUNT_BYTES + 1 + entry) {
    return kTvmErrorBufferTooSmall;
  }
  count = (buffer_size_bytes - COUNT_BYTES - 1) / entry;
  if (count > MOST_FUNCTIONS) {
    count = MOST_FUNCTIONS;
  }
  /* Functions in front, where they are aligned; names behind them. */
  memset(buffer, 0, buffer_size_bytes);
  funcs = buffer;
  reg->registry.funcs = funcs;
  reg->registry.names = (const char *)buffer + count * pointer;
  reg->max_functions = count;
  reg->name_bytes = buffer_size_bytes - count * pointer;
  return kTvmErrorNoError;
}

tvm_crt_error_t TVMMutableFuncRegistry_Set(TVMMutableFuncRegistry *reg, const char *name, TVMBackendPackedCFunc func,
                                           int override) {
  const size_t length = strlen(name);
  const char *at;
  const uint16_t count = TVMFuncRegistry_GetNumFuncs(&reg->registry);
  const uint16_t index = find(&reg->registry, name, &at);
  TVMBackendPackedCFunc *funcs;
  memcpy(&funcs, &reg->registry.funcs, sizeof funcs); /* the memory is the registry's own */
  if (length == 0) {
    return kTvmErrorFunctionNameNotFound;
  }
  if (index < count) {
    if (!override) {
      return kTvmErrorFunctionAlreadyDefined;
    }
  } else {
    char *names;
    const size_t used = (size_t)(at - reg->registry.names);
    memcpy(&names, &reg->registry.names, sizeof names);
    if (count == reg->max_functions || reg->name_bytes - used < length + 2) {
      return kTvmErrorFunctionRegistryFull;
    }
    memcpy(names + used, name, length + 1);
    names[used + length + 1] = '\0';
    names[0] = (char)((count + 1) & 0xff);
    names[1] = (char)((count + 1) >> 8);
  }
  funcs[index] = func;
  return kTvmErrorNoError;
}
