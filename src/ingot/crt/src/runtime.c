/* Modules, global functions, and calls. */
#include <tvm/runtime/crt/crt.h>
#include <tvm/runtime/crt/module.h>

#include "crt_internal.h"

#define VALID 0x8000u /* set in every valid index */

static const TVMModule *modules[TVM_CRT_MAX_REGISTERED_MODULES];
static size_t module_count;
static TVMMutableFuncRegistry globals;
static void *global_memory;
static TVMModuleHandle system_lib;

static TVMModuleHandle module_handle(size_t index) {
  return (TVMModuleHandle)(uintptr_t)(index | VALID);
}

/* The registry of a module, or of global functions, by a valid index. */
static const TVMFuncRegistry *registry_of(uintptr_t handle) {
  const uintptr_t index = handle & ~(uintptr_t)VALID;
  if ((handle & VALID) == 0) {
    return NULL;
  }
  if (index == TVM_CRT_MAX_REGISTERED_MODULES) {
    return global_memory == NULL ? NULL : &globals.registry;
  }
  return index < module_count ? modules[index]->registry : NULL;
}

static int find(uintptr_t module, const char *name, TVMFunctionHandle *out) {
  const TVMFuncRegistry *registry = registry_of(module);
  tvm_function_index_t index;
  tvm_crt_error_t status;
  *out = NULL;
  if (registry == NULL) {
    return ingot_crt_fail(kTvmErrorFunctionIndexInvalid, "module: the handle is none", NULL);
  }
  status = TVMFuncRegistry_Lookup(registry, name, &index);
  if (status == kTvmErrorNoError) {
    *out = (TVMFunctionHandle)(module << 16 | index | VALID);
  }
  return (int)status;
}

int TVMModCreateFromCModule(const TVMModule *mod, TVMModuleHandle *out_handle) {
  if (module_count == TVM_CRT_MAX_REGISTERED_MODULES) {
    return ingot_crt_fail(kTvmErrorFunctionRegistryFull, "module: TVM_CRT_MAX_REGISTERED_MODULES is reached", NULL);
  }
  modules[module_count] = mod;
  *out_handle = module_handle(module_count);
  module_count++;
  return 0;
}

int TVMModGetFunction(TVMModuleHandle mod, const char *func_name, int query_imports, TVMFunctionHandle *out) {
  const int status = find((uintptr_t)mod, func_name, out);
  (void)query_imports;
  return status == (int)kTvmErrorFunctionNameNotFound
             ? ingot_crt_fail(kTvmErrorFunctionNameNotFound, "module: it has no function", func_name)
             : status;
}

int TVMModFree(TVMModuleHandle mod) {
  (void)mod;
  return 0;
}

int TVMFuncFree(TVMFunctionHandle func) {
  (void)func;
  return 0;
}

int TVMFuncGetGlobal(const char *name, TVMFunctionHandle *out) {
  const int status = find(TVM_CRT_MAX_REGISTERED_MODULES | VALID, name, out);
  return status == (int)kTvmErrorFunctionNameNotFound ? 0 : status;
}

int TVMFuncRegisterGlobal(const char *name, TVMFunctionHandle f, int override) {
  TVMBackendPackedCFunc function;
  tvm_crt_error_t status;
  if (global_memory == NULL) {
    return ingot_crt_fail(kTvmErrorPlatformCheckFailure, "runtime: call TVMInitializeRuntime first", NULL);
  }
  memcpy(&function, &f, sizeof function);
  status = TVMMutableFuncRegistry_Set(&globals, name, function, override);
  return status == kTvmErrorNoError ? 0 : ingot_crt_fail(status, "runtime: cannot add the global function", name);
}

int TVMBackendRegisterSystemLibSymbol(const char *name, void *ptr) {
  return TVMFuncRegisterGlobal(name, ptr, 0);
}

int TVMFuncCall(TVMFunctionHandle func, TVMValue *arg_values, int *type_codes, int num_args, TVMValue *ret_val,
                int *ret_type_code) {
  const uintptr_t handle = (uintptr_t)func;
  const TVMFuncRegistry *registry = registry_of(handle >> 16);
  TVMBackendPackedCFunc function;
  if (registry == NULL || (handle & VALID) == 0 ||
      TVMFuncRegistry_GetByIndex(registry, (tvm_function_index_t)(handle & 0x7fffu), &function) != kTvmErrorNoError) {
    return ingot_crt_fail(kTvmErrorFunctionIndexInvalid, "function: the handle is none", NULL);
  }
  *ret_type_code = kTVMNullptr;
  ret_val->v_handle = NULL;
  return function(arg_values, type_codes, num_args, ret_val, ret_type_code, (void *)(uintptr_t)registry);
}

int TVMCFuncSetReturn(TVMRetValueHandle ret, TVMValue *value, int *type_code, int num_ret) {
  TVMValue *const slot = ret;
  (void)type_code;
  if (num_ret != 1) {
    return ingot_crt_fail(kTvmErrorFunctionCallNumArguments, "function: there is room for one result", NULL);
  }
  *slot = *value;
  return 0;
}

/* runtime.SystemLib() → module */
static int get_system_lib(TVMValue *args, int *type_codes, int num_args, TVMValue *out, int *out_code, void *resource) {
  (void)args;
  (void)type_codes;
  (void)resource;
  if (num_args != 0) {
    return ingot_crt_fail(kTvmErrorFunctionCallNumArguments, "runtime.SystemLib takes no argument", NULL);
  }
  if (system_lib == NULL) {
    const int status = TVMModCreateFromCModule(TVMSystemLibEntryPoint(), &system_lib);
    if (status != 0) {
      return status;
    }
  }
  out->v_handle = system_lib;
  *out_code = kTVMModuleHandle;
  return 0;
}

/* tvm.contrib.random.random_fill(tensor) */
static int random_fill(TVMValue *args, int *type_codes, int num_args, TVMValue *out, int *out_code, void *resource) {
  DLTensor *tensor;
  size_t bytes;
  (void)out;
  (void)out_code;
  (void)resource;
  if (num_args != 1) {
    return ingot_crt_fail(kTvmErrorFunctionCallNumArguments, "random_fill takes one tensor", NULL);
  }
  if (type_codes[0] != kTVMDLTensorHandle && type_codes[0] != kTVMNDArrayHandle) {
    return ingot_crt_fail(kTvmErrorFunctionCallWrongArgType, "random_fill takes one tensor", NULL);
  }
  tensor = args[0].v_handle;
  if (ingot_crt_check_dense(tensor) != 0 || ingot_crt_bytes(tensor->dtype, tensor->ndim, tensor->shape, &bytes) != 0) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "random_fill takes a dense tensor", NULL);
  }
  return ingot_crt_random((char *)tensor->data + tensor->byte_offset, bytes);
}

tvm_crt_error_t TVMInitializeRuntime(void) {
  static const struct {
    const char *name;
    TVMBackendPackedCFunc function;
  } functions[] = {{"runtime.SystemLib", get_system_lib}, {"tvm.contrib.random.random_fill", random_fill}};
  tvm_crt_error_t status;
  if (global_memory == NULL) {
    global_memory = ingot_crt_allocate(TVM_CRT_GLOBAL_FUNC_REGISTRY_SIZE_BYTES);
    if (global_memory == NULL) {
      return (tvm_crt_error_t)ingot_crt_fail(kTvmErrorPlatformNoMemory, "runtime: no memory for global functions", NULL);
    }
  }
  module_count = 0;
  system_lib = NULL;
  status = TVMMutableFuncRegistry_Create(&globals, global_memory, TVM_CRT_GLOBAL_FUNC_REGISTRY_SIZE_BYTES);
  for (size_t i = 0; i < sizeof functions / sizeof functions[0] && status == kTvmErrorNoError; i++) {
    status = TVMMutableFuncRegistry_Set(&globals, functions[i].name, functions[i].function, 0);
  }
  return status;
}
