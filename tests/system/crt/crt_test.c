/* The C runtime, from inside a C program. Prints what is wrong; the exit status is how many checks failed. */
#include "crt_platform.h"

#include <tvm/runtime/crt/page_allocator.h>
#include <tvm/runtime/crt/stack_allocator.h>

static int checks, failures;

#define EXPECT(condition)                                                              \
  do {                                                                                 \
    checks++;                                                                          \
    if (!(condition)) {                                                                \
      printf("line %d: not so: %s (last error: %s)\n", __LINE__, #condition, TVMGetLastError()); \
      failures++;                                                                      \
    }                                                                                  \
  } while (0)

static int told(const char *words) {
  return strstr(TVMGetLastError(), words) != NULL;
}

/* A copy that ends where the text ends, so that a sanitizer sees what reads on. */
static char *copy(const char *text, size_t length) {
  char *const made = malloc(length + 1);
  if (made == NULL) {
    abort();
  }
  memcpy(made, text, length);
  made[length] = '\0';
  return made;
}

static TVMModuleHandle operators;

static int create(const char *json, TVMGraphExecutor **executor) {
  return TVMGraphExecutor_Create(json, operators, &cpu, executor);
}

/* GRAPH with one part replaced must be refused with these words. */
static void refuse(int line, const char *part, const char *replacement, const char *words) {
  static const char graph[] = GRAPH;
  const char *const at = strstr(graph, part);
  TVMGraphExecutor *executor = NULL;
  char made[4096];
  size_t before;
  int status;
  checks++;
  if (at == NULL) {
    printf("line %d: the graph has no %s\n", line, part);
    failures++;
    return;
  }
  before = (size_t)(at - graph);
  memcpy(made, graph, before);
  strcpy(made + before, replacement);
  strcat(made, at + strlen(part));
  status = create(made, &executor);
  if (status == 0 || executor != NULL || !told(words)) {
    printf("line %d: status 0x%x: %s\n", line, (unsigned)status, TVMGetLastError());
    failures++;
  }
  if (executor != NULL) {
    (void)TVMGraphExecutor_Release(&executor);
  }
}
#define REFUSE(part, replacement, words) refuse(__LINE__, part, replacement, words)

static void a_graph_runs(void) {
  TVMGraphExecutor *executor = NULL;
  char params[PARAMS_ROOM];
  const size_t params_bytes = make_params(params);
  float x[4] = {1.0f, 2.0f, 3.0f, 4.0f}, y[4] = {0};
  signed char z[6] = {0};
  int64_t four[1] = {4}, six[2] = {2, 3}, square[2] = {2, 2};
  int64_t dense[1] = {1}, gaps[1] = {2};
  const long before = alive;
  DLTensor input = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, four, NULL, 0};
  DLTensor sum = {y, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, four, NULL, 0};
  DLTensor touched = {z, {kDLCPU, 0}, 2, {kDLInt, 8, 1}, six, NULL, 0};

  EXPECT(create(GRAPH, &executor) == 0);
  EXPECT(alive == before + 2);
  EXPECT(TVMGraphExecutor_GetNumInputs(executor) == 2);
  EXPECT(TVMGraphExecutor_GetNumOutputs(executor) == 3);
  EXPECT(TVMGraphExecutor_GetInputIndex(executor, "x") == 0);
  EXPECT(TVMGraphExecutor_GetInputIndex(executor, "p0") == 1);
  EXPECT(TVMGraphExecutor_GetInputIndex(executor, "y") == -1);
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &sum) == kTvmErrorExecutorNotRun);
  EXPECT(TVMGraphExecutor_Run(executor) == kTvmErrorExecutorInputNotSet);
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)params_bytes) == 0);
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)params_bytes) == 0);
  EXPECT(alive == before + 3);
  EXPECT(TVMGraphExecutor_Run(executor) == kTvmErrorExecutorInputNotSet);
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) == 0);
  EXPECT(TVMGraphExecutor_Run(executor) == 0);
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &sum) == 0);
  EXPECT(y[0] == 11.0f && y[3] == 44.0f);
  EXPECT(TVMGraphExecutor_GetOutput(executor, 1, &touched) == 0);
  EXPECT(z[0] == z[5]);
  /* The input is read where it is: new numbers, another run. */
  x[0] = 5.0f;
  EXPECT(TVMGraphExecutor_Run(executor) == 0);
  memset(y, 0, sizeof y);
  sum.ndim = 2;
  sum.shape = square;
  EXPECT(TVMGraphExecutor_GetOutput(executor, 2, &sum) == 0);
  EXPECT(y[0] == 15.0f);

  /* What does not fit is refused, and the next run with it. */
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &sum) == kTvmErrorExecutorBadTensor);
  EXPECT(TVMGraphExecutor_GetOutput(executor, 3, &sum) != 0);
  EXPECT(TVMGraphExecutor_GetOutput(executor, -1, &sum) != 0);
  EXPECT(TVMGraphExecutor_SetInput(executor, "q", &input) == kTvmErrorExecutorModuleNoSuchInput && told("q"));
  EXPECT(TVMGraphExecutor_Run(executor) == kTvmErrorExecutorBadTensor);
  EXPECT(TVMGraphExecutor_GetOutput(executor, 2, &sum) == kTvmErrorExecutorNotRun);
  EXPECT(TVMGraphExecutor_Run(executor) == 0);
  four[0] = 3;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) == kTvmErrorExecutorBadTensor);
  four[0] = 4;
  input.dtype.bits = 64;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) != 0);
  input.dtype.bits = 32;
  input.strides = gaps;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) != 0);
  input.strides = dense;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) == 0);
  input.data = (char *)x + 1;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) != 0);
  input.data = NULL;
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) != 0);
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", NULL) != 0);
  EXPECT(TVMGraphExecutor_Release(&executor) == 0 && executor == NULL);
  EXPECT(TVMGraphExecutor_Release(&executor) == 0);
  EXPECT(alive == before);
}

static void a_wrong_graph_is_refused_with_words(void) {
  TVMGraphExecutor *executor;
  const DLDevice other = {kDLCUDA, 0};
  REFUSE("[[2, 0, 0], [0, 0, 0]]", "[[3, 0, 0], [0, 0, 0]]", "does not stand before it");
  REFUSE("[[2, 0, 0], [0, 0, 0]]", "[[2, 1, 0], [0, 0, 0]]", "an output that there is not");
  REFUSE("[[2, 0, 0], [0, 0, 0]]", "[[2], [0, 0, 0]]", "two or three numbers");
  REFUSE("[[2, 0, 0], [0, 0, 0]]", "[[2, 0, 0]]", "num_inputs is not");
  REFUSE("\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 2]", "no input");
  REFUSE("\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 9]", "no input");
  REFUSE("\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, -1]", "whole number");
  REFUSE("\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 1.0]", "whole number");
  REFUSE("\"arg_nodes\": [0, 1]", "\"arg_nodes\": [0, 99999999999999999999]", "too large");
  REFUSE("[0, 1, 2, 3, 4, 5]", "[0, 1, 2, 3, 4]", "node_row_ptr");
  REFUSE("[0, 1, 2, 3, 4, 5]", "[0, 2, 1, 3, 4, 5]", "node_row_ptr");
  REFUSE("[0, 1, 2, 3, 4, 5]", "[0, 1, 2, 3, 4, 6]", "node_row_ptr");
  REFUSE("[0, 1, 2, 3, 2]", "[0, 1, 2, 3]", "do not fit each other");
  REFUSE("[0, 1, 2, 3, 2]", "[0, 1, 2, 3, 1000]", "do not fit each other");
  REFUSE("[0, 1, 2, 3, 2]", "[0, 1, 2, 3, 4]", "__nop");
  REFUSE("[2, 2]]", "[2, 3]]", "__nop");
  REFUSE("[[4], [4], [4], ", "[[4], [4611686018427387904, 4], [4], ", "too large");
  REFUSE("[[4], [4], [4], ", "[[4], [4], [1,1,1,1,1,1,1,1,1], ", "TVM_CRT_MAX_NDIM");
  REFUSE("\"int8\"", "\"int\"", "unknown type");
  REFUSE("\"list_int\", [0", "\"list_str\", [0", "tag");
  REFUSE("\"add\"", "\"sub\"", "no function: sub");
  REFUSE("\"op\": \"tvm_op\", \"name\": \"y\"", "\"op\": \"call\", \"name\": \"y\"", "neither");
  REFUSE("\"op\": \"tvm_op\", \"name\": \"y\"", "\"op\": \"tvm_op\"", "needs op, name and inputs");
  REFUSE("\"func_name\": \"add\", ", "", "an operator needs");
  REFUSE("\"flatten_data\": \"0\", \"hash\"", "\"flatten_data\": \"1\", \"hash\"", "flatten_data");
  REFUSE("\"heads\": [[2, 0, 0], [3, 0, 0], [4, 0, 0]],", "", "missing");
  REFUSE("\"arg_nodes\": [0, 1],", "\"arg_nodes\": [0, 1], \"arg_nodes\": [0, 1],", "twice");
  REFUSE("null, {", "null, [[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]], {", "in each other");
  REFUSE("\\n\"}", "\\x\"}", "escape");
  REFUSE("\\u00e9", "\\u00g9", "hexadecimal");
  REFUSE("\\u00e9", "\\ud800", "half");
  REFUSE("\\u00e9", "\\u0000", "NUL");
  REFUSE("\\u00e9", "\t", "control character");
  EXPECT(TVMGraphExecutor_Create(NULL, operators, &cpu, &executor) != 0 && executor == NULL);
  EXPECT(TVMGraphExecutor_Create(GRAPH, operators, &other, &executor) == kTvmErrorExecutorModuleBadContext);
  EXPECT(TVMGraphExecutor_Create(GRAPH, (TVMModuleHandle)(uintptr_t)0x8001, &cpu, &executor) == kTvmErrorFunctionIndexInvalid);
  EXPECT(create("", &executor) == kTvmErrorExecutorBadGraph);
}

static void names_are_unescaped(void) {
  static const char json[] =
      "{\"nodes\": [{\"op\": \"null\", \"name\": \"a\\u00e9\\ud83d\\ude00\\\"\\\\\\/\", \"inputs\": []}], \"arg_nodes\": [0],"
      "\"heads\": [[0, 0]], \"node_row_ptr\": [0, 1], \"attrs\": {\"shape\": [\"list_shape\", [[]]],"
      "\"storage_id\": [\"list_int\", [0]], \"dltype\": [\"list_str\", [\"bool\"]]}}";
  unsigned char one = 1, two = 0;
  TVMGraphExecutor *executor;
  DLTensor tensor = {&one, {kDLCPU, 0}, 0, {kDLBool, 8, 1}, NULL, NULL, 0};
  EXPECT(create(json, &executor) == 0);
  EXPECT(TVMGraphExecutor_SetInput(executor, "a\xc3\xa9\xf0\x9f\x98\x80\"\\/", &tensor) == 0);
  EXPECT(TVMGraphExecutor_Run(executor) == 0);
  tensor.data = &two;
  tensor.dtype.code = kDLUInt;
  tensor.dtype.bits = 1;
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &tensor) == 0 && two == 1);
  EXPECT(TVMGraphExecutor_Release(&executor) == 0);
}

static void an_operator_that_fails_stops_the_run(void) {
  char json[4096];
  TVMGraphExecutor *executor;
  char params[PARAMS_ROOM];
  float x[4] = {0};
  int64_t four[1] = {4};
  DLTensor input = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, four, NULL, 0};
  const char graph[] = GRAPH;
  const char *const at = strstr(graph, "\"add\"");
  sprintf(json, "%.*s\"broken\"%s", (int)(at - graph), graph, at + 5);
  EXPECT(create(json, &executor) == 0);
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)make_params(params)) == 0);
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &input) == 0);
  EXPECT(TVMGraphExecutor_Run(executor) == -7 && told("broken"));
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &input) == kTvmErrorExecutorNotRun);
  EXPECT(TVMGraphExecutor_Release(&executor) == 0);
}

static void every_truncation_of_a_graph_is_refused(void) {
  static const char graph[] = GRAPH;
  for (size_t length = 0; length < sizeof graph - 1; length++) {
    char *const cut = copy(graph, length);
    TVMGraphExecutor *executor = NULL;
    EXPECT(create(cut, &executor) == kTvmErrorExecutorBadGraph && executor == NULL);
    free(cut);
  }
}

static void every_flipped_bit_is_survived(void) {
  static const char graph[] = GRAPH;
  char params[PARAMS_ROOM];
  const size_t params_bytes = make_params(params);
  const long before = alive;
  long good = 0;
  TVMGraphExecutor *executor = NULL;
  for (size_t bit = 0; bit < (sizeof graph - 1) * 8; bit++) {
    char *const changed = copy(graph, sizeof graph - 1);
    changed[bit / 8] = (char)(changed[bit / 8] ^ (1 << (bit % 8)));
    if (create(changed, &executor) == 0) {
      good++;
      use(executor, params, params_bytes);
      EXPECT(TVMGraphExecutor_Release(&executor) == 0);
    }
    free(changed);
  }
  EXPECT(good > 0);
  EXPECT(create(GRAPH, &executor) == 0);
  for (size_t bit = 0; bit < params_bytes * 8; bit++) {
    char *const changed = copy(params, params_bytes);
    changed[bit / 8] = (char)(changed[bit / 8] ^ (1 << (bit % 8)));
    (void)TVMGraphExecutor_LoadParams(executor, changed, (uint32_t)params_bytes);
    free(changed);
  }
  EXPECT(TVMGraphExecutor_Release(&executor) == 0);
  EXPECT(alive == before);
}

static void wrong_parameters_are_refused_as_a_whole(void) {
  TVMGraphExecutor *executor;
  char params[PARAMS_ROOM * 2];
  const size_t bytes = make_params(params);
  float x[4] = {1.0f, 2.0f, 3.0f, 4.0f}, y[4];
  int64_t four[1] = {4};
  DLTensor tensor = {x, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, four, NULL, 0};
  EXPECT(create(GRAPH, &executor) == 0);
  for (size_t length = 0; length < bytes; length++) {
    char *const cut = malloc(length == 0 ? 1 : length);
    memcpy(cut, params, length);
    EXPECT(TVMGraphExecutor_LoadParams(executor, cut, (uint32_t)length) == kTvmErrorExecutorBadParams);
    free(cut);
  }
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)bytes + 1) != 0 && told("follows"));
  params[32] = 'q';
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)bytes) != 0 && told("no input"));
  params[32] = 'p';
  params[bytes - 24] = 3; /* the size in bytes */
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)bytes) != 0 && told("size"));
  params[bytes - 24] = 16;
  params[bytes - 32] = 3; /* the shape */
  params[bytes - 24] = 12;
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)bytes - 4) != 0 && told("another type or shape"));
  EXPECT(TVMGraphExecutor_LoadParams(executor, NULL, 0) != 0);
  /* None was taken. */
  EXPECT(TVMGraphExecutor_SetInput(executor, "x", &tensor) == 0);
  EXPECT(TVMGraphExecutor_Run(executor) == kTvmErrorExecutorInputNotSet);
  (void)make_params(params);
  EXPECT(TVMGraphExecutor_LoadParams(executor, params, (uint32_t)bytes) == 0);
  EXPECT(TVMGraphExecutor_Run(executor) == 0);
  tensor.data = y;
  EXPECT(TVMGraphExecutor_GetOutput(executor, 0, &tensor) == 0 && y[1] == 22.0f);
  EXPECT(TVMGraphExecutor_Release(&executor) == 0);
}

static void every_allocation_may_fail(void) {
  char params[PARAMS_ROOM];
  const size_t params_bytes = make_params(params);
  int done = 0;
  for (long k = 0; !done; k++) {
    const long before = alive;
    TVMGraphExecutor *executor = NULL;
    int status;
    until_failure = k;
    status = create(GRAPH, &executor);
    if (status == 0) {
      status = TVMGraphExecutor_LoadParams(executor, params, (uint32_t)params_bytes);
      until_failure = -1;
      done = status == 0;
      EXPECT(TVMGraphExecutor_Release(&executor) == 0);
    }
    until_failure = -1;
    EXPECT(status == 0 || (status == kTvmErrorPlatformNoMemory && executor == NULL));
    EXPECT(alive == before);
    EXPECT(k < 10);
    if (k >= 10) {
      break;
    }
  }
  {
    TVMNDArray array;
    const int64_t shape[2] = {2, 3};
    const DLDataType type = {kDLFloat, 32, 1};
    const long before = alive;
    for (long k = 0; k < 2; k++) {
      until_failure = k;
      EXPECT(TVMNDArray_Empty(2, shape, type, cpu, &array) == kTvmErrorPlatformNoMemory);
      until_failure = -1;
      EXPECT(alive == before);
    }
  }
}

static void tensors_own_their_memory(void) {
  TVMNDArray array, view, loaded;
  const int64_t shape[2] = {2, 3}, flat[1] = {6}, large[1] = {7}, negative[1] = {-1};
  const DLDataType type = {kDLFloat, 32, 1};
  const long before = alive;
  char params[PARAMS_ROOM];
  const size_t bytes = make_params(params);
  const char *at = params + 42; /* the tensor */
  EXPECT(TVMNDArray_Empty(2, shape, type, cpu, &array) == 0);
  EXPECT(TVMNDArray_DataSizeBytes(&array) == 24);
  EXPECT(((float *)array.dl_tensor.data)[5] == 0.0f);
  EXPECT(TVMNDArray_CreateView(&array, flat, 1, type, &view) == 0);
  EXPECT(TVMNDArray_CreateView(&array, large, 1, type, &loaded) != 0);
  EXPECT(view.dl_tensor.data == array.dl_tensor.data);
  EXPECT(TVMNDArray_RandomFill(&view) == 0);
  EXPECT(((unsigned char *)array.dl_tensor.data)[23] == 0x5a);
  TVMNDArray_IncrementReference(&array);
  EXPECT(TVMNDArray_Release(&array) == 0 && array.dl_tensor.data != NULL);
  EXPECT(TVMNDArray_Release(&view) == 0);
  EXPECT(TVMNDArray_Release(&array) == 0 && array.dl_tensor.data == NULL);
  EXPECT(TVMNDArray_Create(1, negative, type, cpu, &array) != 0);
  EXPECT(TVMNDArray_Create(-1, negative, type, cpu, &array) != 0);
  EXPECT(TVMNDArray_LoadBounded(&loaded, &at, params + bytes - 1) != 0 && at == params + 42);
  EXPECT(TVMNDArray_Load(&loaded, &at) == 0 && at == params + bytes);
  EXPECT(loaded.dl_tensor.ndim == 1 && loaded.dl_tensor.shape[0] == 4 && ((float *)loaded.dl_tensor.data)[3] == 40.0f);
  EXPECT(TVMNDArray_Release(&loaded) == 0);
  EXPECT(alive == before);
}

static int answer(TVMValue *args, int *codes, int count, TVMValue *ret, int *ret_code, void *resource) {
  (void)codes;
  (void)resource;
  ret->v_int64 = count == 1 ? args[0].v_int64 + 1 : 42;
  *ret_code = kTVMArgInt;
  return 0;
}

static void functions_are_found_and_called(void) {
  TVMPackedFunc function;
  TVMFunctionHandle handle;
  TVMValue value, result;
  int code;
  uint32_t codes[1] = {kTVMArgInt};
  TVMBackendPackedCFunc address = answer;
  void *pointer;
  TVMArgs args;
  tvm_function_index_t index = 77;
  const TVMFuncRegistry *const registry = TVMSystemLibEntryPoint()->registry;
  memcpy(&pointer, &address, sizeof pointer);
  value.v_int64 = 6;
  args = TVMArgs_Create(&value, codes, 1);
  EXPECT(TVMFuncRegisterGlobal("answer", pointer, 0) == 0);
  EXPECT(TVMFuncRegisterGlobal("answer", pointer, 0) == kTvmErrorFunctionAlreadyDefined);
  EXPECT(TVMFuncRegisterGlobal("answer", pointer, 1) == 0);
  EXPECT(TVMPackedFunc_InitGlobalFunc(&function, "answer", &args) == 0);
  EXPECT(function.Call(&function) == 0 && function.ret_value.values_count == 1);
  EXPECT(function.ret_value.values[0].v_int64 == 7 && function.ret_value.tcodes[0] == kTVMArgInt);
  EXPECT(TVMFuncGetGlobal("nothing", &handle) == 0 && handle == NULL);
  EXPECT(TVMPackedFunc_InitGlobalFunc(&function, "nothing", NULL) == kTvmErrorFunctionNameNotFound);
  EXPECT(TVMPackedFunc_InitModuleFunc(&function, operators, "nothing", NULL) == kTvmErrorFunctionNameNotFound);
  EXPECT(TVMModGetFunction(operators, "add", 0, &handle) == 0);
  EXPECT((uintptr_t)handle == (UINT32_C(0x8000) << 16 | 0x8001));
  EXPECT(TVMFuncCall(NULL, NULL, NULL, 0, &result, &code) == kTvmErrorFunctionIndexInvalid);
  EXPECT(TVMFuncCall((TVMFunctionHandle)(uintptr_t)0x80008003u, NULL, NULL, 0, &result, &code) != 0);
  EXPECT(TVMFuncRegistry_Lookup(registry, "broken", &index) == kTvmErrorNoError && index == 2);
  EXPECT(TVMFuncRegistry_Lookup(registry, "brok", &index) == kTvmErrorFunctionNameNotFound && index == 2);
  EXPECT(TVMFuncRegistry_Lookup(registry, "", &index) == kTvmErrorFunctionNameNotFound);
  EXPECT(TVMFuncRegistry_GetByIndex(registry, 3, &address) == kTvmErrorFunctionIndexInvalid);
  EXPECT(TVMFuncRegistry_GetByIndex(registry, 1, &address) == kTvmErrorNoError && address == add);
  {
    /* A registry is full when names or functions fill it. */
    void *room[12];
    TVMMutableFuncRegistry small;
    char name[64];
    int added = 0;
    EXPECT(TVMMutableFuncRegistry_Create(&small, (uint8_t *)room, 8) == kTvmErrorBufferTooSmall);
    EXPECT(TVMMutableFuncRegistry_Create(&small, (uint8_t *)room, sizeof room) == kTvmErrorNoError);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    EXPECT(TVMMutableFuncRegistry_Set(&small, name, answer, 0) == kTvmErrorFunctionRegistryFull);
    for (name[1] = '\0'; added < 30; added++) {
      name[0] = (char)('A' + added);
      if (TVMMutableFuncRegistry_Set(&small, name, answer, 0) != kTvmErrorNoError) {
        break;
      }
    }
    EXPECT(added == (int)small.max_functions && added > 0);
    EXPECT(TVMFuncRegistry_Lookup(&small.registry, "A", &index) == kTvmErrorNoError && index == 0);
    EXPECT(TVMMutableFuncRegistry_Set(&small, "A", add, 1) == kTvmErrorNoError);
    EXPECT(TVMFuncRegistry_GetByIndex(&small.registry, 0, &address) == kTvmErrorNoError && address == add);
  }
  {
    DLTensor tensor;
    int64_t shape[1] = {3};
    unsigned char bytes[4] = {0};
    const DLTensor made = {bytes, {kDLCPU, 0}, 1, {kDLUInt, 8, 1}, shape, NULL, 0};
    tensor = made;
    value.v_handle = &tensor;
    codes[0] = kTVMDLTensorHandle;
    args = TVMArgs_Create(&value, codes, 1);
    EXPECT(TVMPackedFunc_InitGlobalFunc(&function, "tvm.contrib.random.random_fill", &args) == 0);
    EXPECT(TVMPackedFunc_Call(&function) == 0 && bytes[2] == 0x5a && bytes[3] == 0);
  }
  EXPECT(TVMArgs_Create(NULL, NULL, TVM_CRT_MAX_ARGS + 1).values_count == 0);
  {
    /* As code for the runtimes before v0.9 has it, with one byte for the number; and none at all. */
    static const TVMBackendPackedCFunc functions[] = {answer, add};
    const TVMFuncRegistry old = {"\002tvmgen_a\000b\000", functions}, empty = {"\000\000", functions};
    EXPECT(TVMFuncRegistry_GetNumFuncs(&old) == 2 && TVMFuncRegistry_GetNumFuncs(&empty) == 0);
    EXPECT(TVMFuncRegistry_Lookup(&old, "tvmgen_a", &index) == kTvmErrorNoError && index == 0);
    EXPECT(TVMFuncRegistry_Lookup(&old, "b", &index) == kTvmErrorNoError && index == 1);
    EXPECT(TVMFuncRegistry_Lookup(&old, "vmgen_a", &index) == kTvmErrorFunctionNameNotFound);
    EXPECT(TVMFuncRegistry_Lookup(&empty, "b", &index) == kTvmErrorFunctionNameNotFound);
    EXPECT(TVMFuncRegistry_GetByIndex(&old, 2, &address) == kTvmErrorFunctionIndexInvalid);
  }
}

static void types_have_names(void) {
  static const struct {
    const char *name;
    DLDataType type;
  } cases[] = {{"float32", {2, 32, 1}}, {"int8", {0, 8, 1}},      {"uint1", {1, 1, 1}},  {"bool", {1, 1, 1}},
               {"bfloat16", {4, 16, 1}}, {"float32x4", {2, 32, 4}}, {"handle", {3, 64, 1}}, {"float", {0, 0, 0}},
               {"int8x", {0, 0, 0}},     {"int99", {0, 0, 0}},      {"double", {0, 0, 0}},  {"", {0, 0, 0}},
               {"int8 ", {0, 0, 0}},     {"int0", {0, 0, 0}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const DLDataType got = String2DLDataType(cases[i].name), want = cases[i].type;
    EXPECT(got.code == want.code && got.bits == want.bits && got.lanes == want.lanes);
  }
}

static void pages_are_given_and_taken_back(void) {
  static uint8_t pool[4096 + 3];
  MemoryManagerInterface *manager;
  void *a, *b, *c, *rest[100];
  int count = 0;
  EXPECT(PageMemoryManagerCreate(&manager, pool, 64, 8) != kTvmErrorNoError && manager == NULL);
  EXPECT(PageMemoryManagerCreate(&manager, pool + 3, sizeof pool - 3, 8) == kTvmErrorNoError);
  EXPECT(manager->Allocate(manager, 1, cpu, &a) == kTvmErrorNoError);
  EXPECT(manager->Allocate(manager, 257, cpu, &b) == kTvmErrorNoError);
  EXPECT(manager->Allocate(manager, 0, cpu, &c) == kTvmErrorNoError);
  EXPECT((char *)b - (char *)a == 256 && (char *)c - (char *)b == 512 && (uintptr_t)a % 64 == 0);
  memset(b, 1, 512);
  EXPECT(manager->Free(manager, (char *)b + 256, cpu) == kTvmErrorPlatformCheckFailure);
  EXPECT(manager->Free(manager, (char *)b + 1, cpu) == kTvmErrorPlatformCheckFailure);
  EXPECT(manager->Free(manager, pool, cpu) == kTvmErrorPlatformCheckFailure);
  EXPECT(manager->Free(manager, b, cpu) == kTvmErrorNoError);
  EXPECT(manager->Free(manager, b, cpu) == kTvmErrorPlatformCheckFailure);
  EXPECT(manager->vleak_size == 2);
  /* What was freed is given again; then everything. */
  EXPECT(manager->Allocate(manager, 512, cpu, &b) == kTvmErrorNoError && (char *)b - (char *)a == 256);
  while (count < 100 && manager->Allocate(manager, 256, cpu, &rest[count]) == kTvmErrorNoError) {
    memset(rest[count], 2, 256);
    count++;
  }
  EXPECT(count > 8 && count < 12);
  EXPECT(manager->Allocate(manager, SIZE_MAX, cpu, &c) == kTvmErrorPlatformNoMemory && c == NULL);
}

static void a_stack_is_freed_in_reverse_order(void) {
  static uint8_t memory[200];
  tvm_workspace_t stack;
  void *a, *b, *c;
  EXPECT(StackMemoryManager_Init(&stack, memory + 1, sizeof memory - 1) == kTvmErrorNoError);
  EXPECT(StackMemoryManager_Allocate(&stack, 10, &a) == kTvmErrorNoError && (uintptr_t)a % 16 == 0);
  EXPECT(StackMemoryManager_Allocate(&stack, 100, &b) == kTvmErrorNoError && (uintptr_t)b % 16 == 0);
  memset(a, 1, 10);
  memset(b, 2, 100);
  EXPECT(StackMemoryManager_Allocate(&stack, 200, &c) == kTvmErrorPlatformNoMemory);
  EXPECT(StackMemoryManager_Allocate(&stack, -1, &c) != kTvmErrorNoError);
  EXPECT(StackMemoryManager_Free(&stack, memory + 199) == kTvmErrorPlatformStackAllocBadFree);
#if defined(TVM_CRT_STACK_ALLOCATOR_ENABLE_LIFO_CHECK)
  EXPECT(StackMemoryManager_Free(&stack, a) == kTvmErrorPlatformStackAllocBadFree);
#endif
  EXPECT(StackMemoryManager_Free(&stack, b) == kTvmErrorNoError);
  EXPECT(StackMemoryManager_Free(&stack, a) == kTvmErrorNoError);
  EXPECT(StackMemoryManager_Free(&stack, a) == kTvmErrorPlatformStackAllocBadFree);
  EXPECT(StackMemoryManager_Init(&stack, memory + 1, 3) == kTvmErrorPlatformNoMemory);
}

static int count_tasks(int task, TVMParallelGroupEnv *env, void *data) {
  *(int *)data += 1;
  return task == 0 && env->num_task == 1 ? 5 : -1;
}

static void generated_code_gets_workspace(void) {
  const long before = alive;
  int tasks = 0;
  void *const memory = TVMBackendAllocWorkspace(kDLCPU, 0, 100, 2, 32);
  EXPECT(memory != NULL && alive == before + 1);
  EXPECT(TVMBackendFreeWorkspace(kDLCPU, 0, memory) == 0 && alive == before);
  EXPECT(TVMBackendAllocWorkspace(kDLCUDA, 0, 100, 2, 32) == NULL);
  EXPECT(TVMBackendAllocWorkspace(kDLCPU, 0, UINT64_MAX, 2, 32) == NULL);
  EXPECT(TVMBackendParallelLaunch(count_tasks, &tasks, 4) == 5 && tasks == 1);
}

static void the_runtime_starts_again(void) {
  const long before = alive;
  TVMFunctionHandle handle;
  EXPECT(TVMInitializeRuntime() == kTvmErrorNoError && alive == before);
  EXPECT(TVMFuncGetGlobal("answer", &handle) == 0 && handle == NULL);
  operators = start();
  EXPECT(start() == operators);
}

/* Writes what the tests begin with, for fuzzers. */
static int write_seeds(const char *graph_path, const char *params_path) {
  char params[PARAMS_ROOM];
  const size_t bytes = make_params(params);
  FILE *const graph_file = fopen(graph_path, "wb"), *const params_file = fopen(params_path, "wb");
  if (graph_file == NULL || params_file == NULL || fprintf(graph_file, "\xff%s", GRAPH) < 0 ||
      fwrite(params, 1, bytes, params_file) != bytes) {
    return 1;
  }
  return fclose(graph_file) != 0 || fclose(params_file) != 0;
}

int main(int argc, char **argv) {
  TVMFunctionHandle handle;
  if (argc == 3) {
    return write_seeds(argv[1], argv[2]);
  }
  EXPECT(TVMFuncGetGlobal("runtime.SystemLib", &handle) == kTvmErrorFunctionIndexInvalid);
  EXPECT(TVMFuncRegisterGlobal("f", NULL, 0) != 0);
  until_failure = 0;
  EXPECT(TVMInitializeRuntime() == kTvmErrorPlatformNoMemory);
  until_failure = -1;
  operators = start();
  a_graph_runs();
  a_wrong_graph_is_refused_with_words();
  names_are_unescaped();
  an_operator_that_fails_stops_the_run();
  every_truncation_of_a_graph_is_refused();
  every_flipped_bit_is_survived();
  wrong_parameters_are_refused_as_a_whole();
  every_allocation_may_fail();
  tensors_own_their_memory();
  functions_are_found_and_called();
  types_have_names();
  pages_are_given_and_taken_back();
  a_stack_is_freed_in_reverse_order();
  generated_code_gets_workspace();
  the_runtime_starts_again();
  printf("%d checks, %d failures\n", checks, failures);
  return failures > 100 ? 100 : failures;
}
