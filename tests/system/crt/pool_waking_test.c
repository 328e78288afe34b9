/* Whether a pool that shares no short loops, or none at all, and wakes its workers to find out what loops cost now, does so while they are awake,
 * however long its loops are. Clock and worker are made up, so that this depends on no machine: the worker is awake from
 * COMES_AFTER to SLEEPS_AFTER nanoseconds after somebody woke it. Exit status 0: it does.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <time.h>

static int made_up_clock(clockid_t which, struct timespec *clock);
static int made_up_call(pthread_cond_t *news);

#define clock_gettime made_up_clock
#define pthread_cond_broadcast made_up_call
#include "pool.c"

enum { COMES_AFTER = 50000, SLEEPS_AFTER = COMES_AFTER + SPIN_NANOSECONDS, LONGEST = 400000, NEVER = -1 };

static int64_t now = 1000000000;
static int64_t called_at = NEVER;

static int made_up_clock(clockid_t which, struct timespec *clock) {
  (void)which;
  clock->tv_sec = now / 1000000000;
  clock->tv_nsec = now % 1000000000;
  return 0;
}

static int made_up_call(pthread_cond_t *news) {
  (void)news;
  called_at = now;
  return 0;
}

static int is_awake(void) {
  return called_at != NEVER && now >= called_at + COMES_AFTER && now < called_at + SLEEPS_AFTER;
}

static int64_t length;

static void take_a_while(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  (void)begin;
  (void)end;
  now += length;
}

/* Whether a loop without work was opened while the worker was awake, and none while it slept. */
static int tries(int64_t loop_length, int32_t loops_before, int32_t way) {
  share shares[2] = {0};
  pthread_t nobody = pthread_self();
  ingot_pool pool = {.threads = 2, .started = 1, .all = shares, .workers = &nobody, .owner = (int32_t)getpid(), .busy = 0};
  pthread_mutex_init(&pool.mutex, NULL);
  forget_costs(&pool);
  pool.least = way == ALONE ? LEAST_GRAINS : MOST_GRAINS; /* so loops of one grain are not shared out either way */
  pool.way = way;
  pool.until = loops_before;
  pool.held_back = 1;
  length = loop_length;
  called_at = NEVER;
  int in_time = 0;
  for (int64_t i = 0; i < loops_before + 2 + SLEEPS_AFTER / loop_length; i++) {
    const uint64_t before = pool.number;
    const int awake = is_awake();
    atomic_store(&pool.sleepers, !awake);
    ingot_pool_for(&pool, take_a_while, NULL, 2, -1);
    if (pool.number != before) {
      in_time = awake;
      break;
    }
  }
  pthread_mutex_destroy(&pool.mutex);
  return in_time;
}

int main(void) {
  int bad = 0;
  for (int64_t loop_length = 1000; loop_length <= LONGEST; loop_length *= 2) {
    for (int32_t way = LONG; way <= ALONE; way++) {
      bad |= !tries(loop_length, 1, way);
      bad |= !tries(loop_length, SOON, way);
    }
  }
  return bad;
}
