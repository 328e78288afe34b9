/* Runs what all C interfaces share: a model that doubles four floats through its workspace, from many threads, and every refusal. */
#include "interface.h"

#include "pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                        \
  do {                                                          \
    if (!(condition)) {                                         \
      fprintf(stderr, "line %d: %s\n", __LINE__, #condition);   \
      exit(1);                                                  \
    }                                                           \
  } while (0)

enum { SIZE = 4, THREADS = 8, CALLS = 2000, ENDING = -2 };

/* DLPack's tensor. */
struct tensor {
  void *data;
  int32_t device_type, device_index, rank;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape, *strides;
  uint64_t byte_offset;
};

static char said_kind[32];
static char said[1024];

/* Stands for tvm-ffi's function. */
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message);
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(said_kind, sizeof said_kind, "%s", kind);
  snprintf(said, sizeof said, "%s", message);
}

static struct ingot_spare spare;

static void nothing(void *const *args, int64_t begin, int64_t end) {
  (void)args, (void)begin, (void)end;
}

static int32_t twice(void *const *bases) {
  const float *x = bases[3];
  float *work = bases[1], *y = bases[4];
  if (x[0] == ENDING) { /* between two loops another thread calls exit() */
    ingot_pool_for(bases[2], nothing, NULL, 1000, 1);
    ingot_interface_release(&spare);
    ingot_pool_for(bases[2], nothing, NULL, 1000, 1);
  } else if (x[0] < 0) {
    return -9;
  }
  memcpy(work, x, SIZE * sizeof *x);
  for (int i = 0; i < SIZE; i++) {
    y[i] = work[i] * 2;
  }
  return 0;
}

static char long_name[2000];
static const int64_t shape[] = {2, 2};
static const int64_t strides[] = {2, 1};
static struct ingot_tensor tensors[] = {
    {"x", shape, SIZE * sizeof(float), 2, 2, 32, sizeof(float)},
    {long_name, shape, SIZE * sizeof(float), 2, 2, 32, sizeof(float)},
};
static const struct ingot_feature features[] = {{NULL, 0, 0, 0, 0, 0}};
static int32_t checked, populated;
static float constants[1 << 20];
static const struct ingot_model model = {"m", twice, tensors, 1, 1, constants, SIZE * sizeof(float), 64, features, &checked,
                                         sizeof constants, &populated};

static _Thread_local int64_t number_of_threads;

static int call(struct tensor *x, struct tensor *y, int32_t count) {
  void *bases[INGOT_FIRST_TENSOR + 2];
  struct ingot_ffi_any args[3];
  memset(args, 0, sizeof args);
  args[0].type = args[1].type = 7;
  args[2].type = 1;
  args[2].value.number = number_of_threads;
  args[0].value.pointer = x;
  args[1].value.pointer = y;
  return ingot_interface_call(&model, &spare, bases, args, count);
}

static struct tensor over(float *data) {
  const struct tensor made = {data, 1, 0, 2, 2, 32, 1, shape, strides, 0};
  return made;
}

static void *work(void *argument) {
  (void)argument;
  for (int i = 0; i < CALLS; i++) {
    float in[SIZE] = {(float)i, 1, 2, 3}, out[SIZE] = {0};
    struct tensor x = over(in), y = over(out);
    number_of_threads = i % 3 + 1; /* pools of 2 and 3 are made by whichever thread comes first */
    CHECK(call(&x, &y, i % 4 == 0 ? 3 : 2) == 0);
    CHECK(out[0] == (float)i * 2 && out[3] == 6);
  }
  return NULL;
}

static void refused(struct tensor x, struct tensor y, int32_t count, const char *kind, const char *words) {
  said[0] = said_kind[0] = '\0';
  CHECK(call(&x, &y, count) == -1);
  if (strcmp(said_kind, kind) != 0 || strstr(said, words) == NULL) {
    fprintf(stderr, "expected %s: %s, got %s: %s\n", kind, words, said_kind, said);
    exit(1);
  }
}

int main(void) {
  float in[2 * SIZE] = {1, 2, 3, 4}, out[2 * SIZE] = {0};
  const int64_t huge[] = {INT64_MIN, INT64_MAX, -1, 0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
  const int64_t gaps[] = {4, 2};
  struct tensor x = over(in), y = over(out), changed;
  pthread_t threads[THREADS];
  memset(long_name, 'n', sizeof long_name - 1);

  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
  }

  refused(x, y, 1, "TypeError", "m takes 2 tensors");
  refused(x, y, 0, "TypeError", "got arguments: 0");
  refused(x, y, -5, "TypeError", "got arguments: -5");
  refused(x, y, 4, "TypeError", "got arguments: 4");
  number_of_threads = 65;
  refused(x, y, 3, "ValueError", "from 1 to 64, got 65");
  number_of_threads = -1;
  refused(x, y, 3, "ValueError", "got -1");
  CHECK(ingot_interface_refuse("other", "it is slow") == -1 && strcmp(said, "other has no entry for tvm-ffi: it is slow") == 0);
  changed = x, changed.rank = 20, changed.shape = huge;
  refused(changed, y, 2, "ValueError", "got [-9223372036854775808, 9223372036854775807, -1, 0, 5");
  changed = x, changed.rank = -1;
  refused(changed, y, 2, "ValueError", "got []");
  changed = x, changed.shape = huge;
  refused(changed, y, 2, "ValueError", "must have the shape [2, 2]");
  changed = x, changed.strides = gaps;
  refused(changed, y, 2, "ValueError", "contiguous");
  changed = x, changed.code = 200;
  refused(changed, y, 2, "TypeError", "got type code 200 of 32");
  changed = x, changed.lanes = 2;
  refused(changed, y, 2, "TypeError", "with lanes");
  changed = x, changed.device_type = 2;
  refused(changed, y, 2, "ValueError", "got device 2");
  changed = x, changed.byte_offset = 3;
  refused(changed, y, 2, "ValueError", "aligned to 4 bytes");
  changed = x, changed.data = NULL;
  refused(changed, y, 2, "ValueError", "has no memory");
  changed = y, changed.code = 1; /* a message that is longer than its room is cut */
  refused(x, changed, 2, "TypeError", "nnnn");
  changed = y, changed.data = in + 3;
  refused(x, changed, 2, "ValueError", "nnnn");
  in[0] = -1;
  refused(x, y, 2, "RuntimeError", "a kernel failed with status -9");

  number_of_threads = 2;
  in[0] = ENDING;
  CHECK(call(&x, &y, 3) == 0 && out[0] == 2 * ENDING);
  ingot_interface_release(&spare);
  ingot_interface_release(&spare);
  in[0] = 5;
  CHECK(call(&x, &y, 3) == 0 && out[0] == 10); /* by a thread that goes on meanwhile */
  return 0;
}
