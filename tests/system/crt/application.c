/* An application as they were written for the classic C runtime: allocator over a static pool, system library, graph, parameters,
 * input, run, output. Its headers, names and order of calls are theirs; C99 that is C++ too. Arguments: graph, parameters. */
#include <dlpack/dlpack.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/crt.h>
#include <tvm/runtime/crt/graph_executor.h>
#include <tvm/runtime/crt/logging.h>
#include <tvm/runtime/crt/packed_func.h>
#include <tvm/runtime/crt/page_allocator.h>
#include <tvm/runtime/crt/platform.h>

#define CHECKED(call)                                                \
  do {                                                               \
    int status_ = (int)(call);                                       \
    if (status_ != 0) {                                              \
      fprintf(stderr, "0x%x: %s\n", (unsigned)status_, TVMGetLastError()); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

#ifdef __cplusplus
extern "C" {
#endif

static uint8_t pool[1 << 16];
static MemoryManagerInterface *memory_manager;

void TVMLogf(const char *msg, ...) {
  va_list args;
  va_start(args, msg);
  vfprintf(stderr, msg, args);
  va_end(args);
}

void __attribute__((noreturn)) TVMPlatformAbort(tvm_crt_error_t error_code) {
  fprintf(stderr, "abort: %d\n", (int)error_code);
  exit(-1);
}

tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr) {
  return memory_manager->Allocate(memory_manager, num_bytes, dev, out_ptr);
}

tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev) {
  return memory_manager->Free(memory_manager, ptr, dev);
}

tvm_crt_error_t TVMPlatformTimerStart(void) {
  return kTvmErrorFunctionCallNotImplemented;
}

tvm_crt_error_t TVMPlatformTimerStop(double *elapsed_time_seconds) {
  *elapsed_time_seconds = 0.0;
  return kTvmErrorFunctionCallNotImplemented;
}

/* The operator library: c = a + b of four numbers. */
static int add(TVMValue *args, int *type_codes, int num_args, TVMValue *out_ret_value, int *out_ret_tcode, void *resource_handle) {
  const float *a, *b;
  float *c;
  (void)out_ret_value;
  (void)out_ret_tcode;
  (void)resource_handle;
  if (num_args != 3 || type_codes[0] != kTVMNDArrayHandle) {
    return -1;
  }
  a = (const float *)((DLTensor *)args[0].v_handle)->data;
  b = (const float *)((DLTensor *)args[1].v_handle)->data;
  c = (float *)((DLTensor *)args[2].v_handle)->data;
  for (int i = 0; i < 4; i++) {
    c[i] = a[i] + b[i];
  }
  return 0;
}

const TVMModule *TVMSystemLibEntryPoint(void) {
  static const TVMBackendPackedCFunc functions[] = {&add};
  static const TVMFuncRegistry registry = {"\001\000tvmgen_tiny_fused_add\000", functions};
  static const TVMModule module = {&registry};
  return &module;
}

#ifdef __cplusplus
}
#endif

static size_t slurp(const char *path, char *to, size_t room) {
  FILE *file = fopen(path, "rb");
  size_t got;
  if (file == NULL) {
    exit(2);
  }
  got = fread(to, 1, room - 1, file);
  fclose(file);
  to[got] = '\0';
  return got;
}

int main(int argc, char **argv) {
  static char graph_json[1 << 14];
  static char params_data[1 << 14];
  TVMByteArray params;
  TVMGraphExecutor *graph_executor = NULL;
  TVMPackedFunc pf;
  TVMModuleHandle mod_syslib;
  float values[4] = {1.0f, 2.0f, 3.0f, 4.0f};
  float result[4];
  int64_t shape[2] = {1, 4};
  DLTensor input, output;
  DLDevice dev;
  if (argc != 3) {
    return 2;
  }
  slurp(argv[1], graph_json, sizeof graph_json);
  params.size = slurp(argv[2], params_data, sizeof params_data);
  params.data = params_data;
  dev.device_type = (DLDeviceType)kDLCPU;
  dev.device_id = 0;

  CHECKED(PageMemoryManagerCreate(&memory_manager, pool, sizeof(pool), 8));
  CHECKED(TVMInitializeRuntime());
  TVMArgs args = TVMArgs_Create(NULL, NULL, 0);
  CHECKED(TVMPackedFunc_InitGlobalFunc(&pf, "runtime.SystemLib", &args));
  CHECKED(TVMPackedFunc_Call(&pf));
  mod_syslib = TVMArgs_AsModuleHandle(&pf.ret_value, 0);

  CHECKED(TVMGraphExecutor_Create(graph_json, mod_syslib, &dev, &graph_executor));
  CHECKED(TVMGraphExecutor_LoadParams(graph_executor, params.data, (uint32_t)params.size));

  input.data = values;
  input.device = dev;
  input.ndim = 2;
  input.dtype.code = kDLFloat;
  input.dtype.bits = 32;
  input.dtype.lanes = 1;
  input.shape = shape;
  input.strides = NULL;
  input.byte_offset = 0;
  TVMGraphExecutor_SetInput(graph_executor, "x", &input);
  TVMGraphExecutor_Run(graph_executor);
  output = input;
  output.data = result;
  CHECKED(TVMGraphExecutor_GetOutput(graph_executor, 0, &output));
  printf("%g %g %g %g\n", (double)result[0], (double)result[1], (double)result[2], (double)result[3]);
  CHECKED(TVMGraphExecutor_Release(&graph_executor));
  LOG_DEBUG("%d allocations are left\n", memory_manager->vleak_size);
  return memory_manager->vleak_size == 1 ? 0 : 3; /* the table of global functions */
}
