/* Maps the constants that every inference reads, before the first one does. See interface.h. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "interface.h"

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if !defined(MADV_POPULATE_READ)
#define MADV_POPULATE_READ 22 /* of Linux 5.14; C libraries have the name since 2022 */
#endif

enum { STEP_BYTES = 2 << 20 };

/* Of pool.h, which every library has. */
extern void ingot_pool_for(struct ingot_pool *pool, void (*body)(void *const *args, int64_t begin, int64_t end), void *const *args,
                           int64_t extent, int64_t grain);

/* What this thread has had read from the disk. */
static long blocks_read(void) {
  struct rusage usage;
  return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_inblock : 0;
}

/* Some steps: args are the first byte, the end, and a number that is not 0 from when on it is better to stop. */
static void populate(void *const *args, int64_t begin, int64_t end) {
  const uintptr_t first = (uintptr_t)args[0], last = (uintptr_t)args[1], steps = first / STEP_BYTES;
  int32_t *stopped = args[2];
  const long before = blocks_read();
  for (int64_t i = begin; i < end && !__atomic_load_n(stopped, __ATOMIC_RELAXED); i++) {
    const uintptr_t from = i == 0 ? first : (steps + (uintptr_t)i) * STEP_BYTES;
    const uintptr_t next = (steps + (uintptr_t)i + 1) * STEP_BYTES;
    const uintptr_t size = (next < last ? next : last) - from;
    if (madvise((void *)from, size, MADV_POPULATE_READ) != 0 || blocks_read() != before) {
      __atomic_store_n(stopped, 1, __ATOMIC_RELAXED);
    }
  }
}

void ingot_interface_populate(const struct ingot_model *model, struct ingot_pool *pool) {
  if (model->always_read_bytes == 0 || __atomic_load_n(model->populated, __ATOMIC_RELAXED) ||
      __atomic_exchange_n(model->populated, 1, __ATOMIC_RELAXED)) {
    return;
  }
  const long asked = sysconf(_SC_PAGESIZE);
  const uintptr_t page = asked > 0 ? (uintptr_t)asked : 4096;
  const uintptr_t begin = (uintptr_t)model->constants / page * page;
  const uintptr_t end = ((uintptr_t)model->constants + model->always_read_bytes + page - 1) / page * page;
  if (end - begin >= STEP_BYTES) {
    /* What is not in memory yet is read in pieces that one entry of the page table maps, for this process and later ones. */
    madvise((void *)begin, end - begin, MADV_HUGEPAGE);
  }
  int32_t stopped = 0;
  void *const args[] = {(void *)begin, (void *)end, &stopped};
  ingot_pool_for(pool, populate, args, (int64_t)((end - 1) / STEP_BYTES - begin / STEP_BYTES + 1), 1);
}
#else
void ingot_interface_populate(const struct ingot_model *model, struct ingot_pool *pool) {
  (void)model;
  (void)pool;
}
#endif
