/* Modules: tables of packed functions, made by code generators. */
#ifndef TVM_RUNTIME_CRT_MODULE_H_
#define TVM_RUNTIME_CRT_MODULE_H_

#include <tvm/runtime/c_backend_api.h>
#include <tvm/runtime/crt/func_registry.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TVMModule {
  const TVMFuncRegistry *registry;
} TVMModule;

/* Gives a module a handle. kTvmErrorFunctionRegistryFull: TVM_CRT_MAX_REGISTERED_MODULES have one. */
int TVMModCreateFromCModule(const TVMModule *mod, TVMModuleHandle *out_handle);

/* The module of all operators that are linked into the program. Generated, once in a program. */
const TVMModule *TVMSystemLibEntryPoint(void);

#ifdef __cplusplus
}
#endif

#endif
