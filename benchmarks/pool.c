/* How long a loop takes with the thread pool, for work of several sizes.
 *
 *     gcc -O2 -Isrc/ingot/native -o pool benchmarks/pool.c src/ingot/native/pool.c -pthread && ./pool [threads]
 *
 * The work is what one thread would need for the loop. Between two loops the caller computes alone for a while (the *gap*), as it
 * does in a network between two kernels that are shared out: with a short gap the workers still look for work, after a long one
 * they sleep. A time is the median of many loops, with the 90th percentile behind it.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pool.h"

enum { LOOPS = 2000, WARM_LOOPS = 20, TASKS = 256 };

static double microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e6 * (double)now.tv_sec + 1e-3 * (double)now.tv_nsec;
}

/* A chain of dependent operations, so that it takes the same time wherever it runs. */
static void compute(int64_t steps) {
  uint64_t state = 1;
  for (int64_t step = 0; step < steps; step++) {
    __asm__ __volatile__("" : "+r"(state));
    state = state * 6364136223846793005u + 1442695040888963407u;
  }
  __asm__ __volatile__("" : : "r"(state));
}

static double steps_per_microsecond(void) {
  double least = 1e30;
  for (int i = 0; i < 50; i++) {
    const double begin = microseconds();
    compute(100000);
    const double took = microseconds() - begin;
    least = took < least ? took : least;
  }
  return 100000 / least;
}

static void tasks(void *const *args, int64_t begin, int64_t end) {
  compute(*(const int64_t *)args[0] * (end - begin));
}

static int by_size(const void *left, const void *right) {
  const double a = *(const double *)left;
  const double b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The median time of a loop of so much work, and the 90th percentile; `gap`: steps between two loops. */
static double measure(ingot_pool *pool, double work, double rate, int64_t gap, double *late) {
  static double times[LOOPS];
  int64_t steps = (int64_t)(work * rate) / TASKS;
  const int64_t grain = work < 1 ? TASKS / 2 : (int64_t)(TASKS / work / 2); /* half a microsecond, as for the pool's users */
  void *args[] = {&steps};
  int loops = 0;
  const double end = microseconds() + 3e5;
  for (int i = -WARM_LOOPS; i < LOOPS && microseconds() < end; i++) {
    compute(gap);
    const double begin = microseconds();
    ingot_pool_for(pool, tasks, args, TASKS, grain);
    const double took = microseconds() - begin;
    if (i >= 0) {
      times[loops++] = took;
    }
  }
  qsort(times, (size_t)loops, sizeof *times, by_size);
  *late = times[loops * 9 / 10];
  return times[loops / 2];
}

int main(int argc, char **argv) {
  static const double gaps[] = {0, 20, 200, 500, 2000, 10000};
  static const double works[] = {0, 1, 2, 4, 10, 20, 50, 200};
  const size_t columns = sizeof works / sizeof *works;
  const double rate = steps_per_microsecond();
  ingot_pool *pool = ingot_pool_create(argc > 1 ? atoi(argv[1]) : 2);
  double late;
  if (pool == NULL) {
    return 1;
  }
  printf("microseconds; work: ");
  for (size_t column = 0; column < columns; column++) {
    printf("%-18.0f", works[column]);
  }
  printf("\n%-20s", "alone");
  for (size_t column = 0; column < columns; column++) {
    const double took = measure(NULL, works[column], rate, 0, &late);
    printf("%6.2f (%7.2f)  ", took, late);
  }
  for (size_t gap = 0; gap < sizeof gaps / sizeof *gaps; gap++) {
    printf("\nshared, gap %-8.0f", gaps[gap]);
    for (size_t column = 0; column < columns; column++) {
      const double took = measure(pool, works[column], rate, (int64_t)(gaps[gap] * rate), &late);
      printf("%6.2f (%7.2f)  ", took, late);
    }
  }
  printf("\n");
  ingot_pool_destroy(pool);
  return 0;
}
