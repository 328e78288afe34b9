/* Maps constants with a system that only notes what it is asked: see test_populate.py. Compiled with `madvise` and `getrusage`
 * as names of the functions here. Prints a line for each question of how the system may answer. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "interface.h"

enum { STEP = 2 << 20, PAGE = 4096, MOST = 64 };

struct ingot_pool *ingot_pool_create(int32_t threads);
void ingot_pool_destroy(struct ingot_pool *pool);

static uintptr_t begins[MOST], ends[MOST];
static int32_t asked, hints, known, from_disk;

int madvise(void *begin, size_t size, int advice) {
  if (advice == MADV_HUGEPAGE) {
    hints++;
    return -1;
  }
  const int32_t at = __atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
  begins[at] = (uintptr_t)begin;
  ends[at] = (uintptr_t)begin + size;
  errno = EINVAL;
  return advice == 22 && known ? 0 : -1;
}

int getrusage(__rusage_who_t who, struct rusage *usage) {
  memset(usage, 0, sizeof *usage);
  usage->ru_inblock = who == RUSAGE_THREAD && from_disk ? asked : 0;
  return 0;
}

/* Bytes that were asked for within [begin, end), without counting any twice; -1 if something else was asked for, or too much at
 * a time. */
static int64_t covered(uintptr_t begin, uintptr_t end) {
  int64_t total = 0;
  for (int32_t i = 0; i < asked; i++) {
    if (begins[i] < begin || ends[i] > end || begins[i] >= ends[i] || begins[i] % PAGE || ends[i] % PAGE || ends[i] - begins[i] > STEP) {
      return -1;
    }
    for (int32_t j = 0; j < i; j++) {
      if (begins[i] < ends[j] && begins[j] < ends[i]) {
        return -1;
      }
    }
    total += (int64_t)(ends[i] - begins[i]);
  }
  return total;
}

static void one(const char *word, size_t offset, size_t bytes, int32_t threads) {
  int32_t populated = 0;
  const uintptr_t first = ((uintptr_t)1 << 40) + offset; /* nothing is there: what is asked for is not touched */
  const uintptr_t begin = first / PAGE * PAGE, end = (first + bytes + PAGE - 1) / PAGE * PAGE;
  const struct ingot_model model = {"m", NULL, NULL, 0, 0, (void *)first, 0, 64, NULL, NULL, bytes, &populated};
  struct ingot_pool *pool = threads > 1 ? ingot_pool_create(threads) : NULL;
  asked = hints = 0;
  ingot_interface_populate(&model, pool);
  const int32_t once = asked;
  ingot_interface_populate(&model, pool);
  ingot_pool_destroy(pool);
  printf("%s %d %d %d %d\n", word, covered(begin, end) == (int64_t)(bytes ? end - begin : 0), once, asked == once, hints);
}

int main(void) {
  known = 1;
  one("nothing", 64, 0, 1);
  one("small", 64, 100, 1);
  one("edges", STEP - 64, 128, 1);
  one("large", 3 * STEP + PAGE + 64, 10 * STEP + 12345, 1);
  one("threads", 3 * STEP + PAGE + 64, 20 * STEP + 12345, 2);
  from_disk = 1;
  one("disk", PAGE, 10 * STEP, 1);
  known = from_disk = 0;
  one("unknown", PAGE, 10 * STEP, 1);
  return 0;
}
