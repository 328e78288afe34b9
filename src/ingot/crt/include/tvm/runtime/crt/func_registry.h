/* Packed functions by name. */
#ifndef TVM_RUNTIME_CRT_FUNC_REGISTRY_H_
#define TVM_RUNTIME_CRT_FUNC_REGISTRY_H_

#include <stddef.h>
#include <stdint.h>
#include <tvm/runtime/c_backend_api.h>
#include <tvm/runtime/crt/error_codes.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint16_t tvm_function_index_t;
typedef uint16_t tvm_module_index_t;

/* `names`: the number of functions in two bytes, the lower one first, then each name with its NUL, then one NUL; code made for the
 * runtime of TVM v0.8 and older has one byte for the number, which is seen and understood. `funcs`: their addresses, in the same
 * order. An empty name ends the list early. At most 8447 functions. */
typedef struct TVMFuncRegistry {
  const char *names;
  const TVMBackendPackedCFunc *funcs;
} TVMFuncRegistry;

/* How many functions there are. */
uint16_t TVMFuncRegistry_GetNumFuncs(const TVMFuncRegistry *reg);

/* Finds a name. kTvmErrorFunctionNameNotFound leaves `*function_index` alone. */
tvm_crt_error_t TVMFuncRegistry_Lookup(const TVMFuncRegistry *reg, const char *name, tvm_function_index_t *function_index);

/* The function at an index; kTvmErrorFunctionIndexInvalid if there is none. */
tvm_crt_error_t TVMFuncRegistry_GetByIndex(const TVMFuncRegistry *reg, tvm_function_index_t index,
                                           TVMBackendPackedCFunc *out_func);

/* A registry that grows within memory given once. */
typedef struct TVMMutableFuncRegistry {
  TVMFuncRegistry registry;
  size_t max_functions;
  size_t name_bytes; /* room for `registry.names` */
} TVMMutableFuncRegistry;

#define TVM_AVERAGE_FUNCTION_NAME_SIZE_BYTES 10

/* Puts an empty registry into the buffer, which must be aligned for pointers. Room for names is what is left when every function
 * has a pointer and a name of the average size. kTvmErrorBufferTooSmall: not one fits. */
tvm_crt_error_t TVMMutableFuncRegistry_Create(TVMMutableFuncRegistry *reg, uint8_t *buffer, size_t buffer_size_bytes);

/* Adds a function, or replaces it if `override` is not 0. kTvmErrorFunctionRegistryFull: no room for the name or the function. */
tvm_crt_error_t TVMMutableFuncRegistry_Set(TVMMutableFuncRegistry *reg, const char *name, TVMBackendPackedCFunc func, int override);

#ifdef __cplusplus
}
#endif

#endif
