/* Functions with arguments, as one object. */
#include <tvm/runtime/crt/packed_func.h>

#include "crt_internal.h"

TVMArgs TVMArgs_Create(TVMValue *values, uint32_t *tcodes, uint32_t values_count) {
  TVMArgs args;
  memset(&args, 0, sizeof args);
  if (values_count <= TVM_CRT_MAX_ARGS) {
    for (uint32_t i = 0; i < values_count; i++) {
      args.values[i] = values[i];
      args.tcodes[i] = (int)tcodes[i];
    }
    args.values_count = values_count;
  }
  return args;
}

TVMModuleHandle TVMArgs_AsModuleHandle(const TVMArgs *args, size_t index) {
  if (index >= args->values_count || args->tcodes[index] != kTVMModuleHandle) {
    TVMPlatformAbort(kTvmErrorFunctionCallWrongArgType);
  }
  return args->values[index].v_handle;
}

static int call(TVMPackedFunc *pf) {
  const int status = TVMFuncCall(pf->fexec, pf->args.values, pf->args.tcodes, (int)pf->args.values_count, pf->ret_value.values,
                                 pf->ret_value.tcodes);
  pf->ret_value.values_count = status == 0 ? 1 : 0;
  return status;
}

void TVMPackedFunc_SetArgs(TVMPackedFunc *pf, const TVMArgs *args) {
  pf->args = *args;
}

static int init(TVMPackedFunc *pf, const char *name, const TVMArgs *args, int status) {
  const size_t length = strlen(name);
  const size_t kept = length < sizeof pf->name ? length : sizeof pf->name - 1;
  const TVMFunctionHandle found = pf->fexec;
  memset(pf, 0, sizeof *pf);
  memcpy(pf->name, name, kept);
  pf->Call = call;
  pf->SetArgs = TVMPackedFunc_SetArgs;
  pf->fexec = found;
  if (args != NULL) {
    TVMPackedFunc_SetArgs(pf, args);
  }
  if (status == 0 && found == NULL) {
    status = ingot_crt_fail(kTvmErrorFunctionNameNotFound, "runtime: no global function", name);
  }
  return status;
}

int TVMPackedFunc_InitGlobalFunc(TVMPackedFunc *pf, const char *name, const TVMArgs *args) {
  return init(pf, name, args, TVMFuncGetGlobal(name, &pf->fexec));
}

int TVMPackedFunc_InitModuleFunc(TVMPackedFunc *pf, TVMModuleHandle module, const char *name, const TVMArgs *args) {
  return init(pf, name, args, TVMModGetFunction(module, name, 0, &pf->fexec));
}

int TVMPackedFunc_Call(TVMPackedFunc *pf) {
  return call(pf);
}
