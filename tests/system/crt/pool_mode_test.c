/* Whether workers compute in the floating-point mode of the thread that calls, loop after loop, in loops and in teams, whatever mode
 * the caller had when they started. In each loop the caller waits until a worker has come, so that what it did is seen.
 * Exit status 0: it is so.
 */
#include "pool.c" /* first: it says which functions of the system there are */

#include <fenv.h>
#include <time.h>

enum { LOOPS = 40, WAIT_SECONDS = 20 };

static _Atomic int came;  /* ranges that a worker did */
static _Atomic int wrong; /* ranges in another mode than the caller's */
static int wanted;
static pthread_t caller;
static volatile float one = 1, minus_one = -1, three = 3;

/* A number for the mode in which this thread computes. fegetround() asks another unit of an x86 processor. */
static int mode_here(void) {
  const float above = one / three;
  const float below = minus_one / three;
  return (above > 0.3333333f) + 2 * (below < -0.3333333f);
}

static void look_at_mode(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  (void)begin;
  (void)end;
  atomic_fetch_add(&wrong, mode_here() != wanted);
  if (!pthread_equal(pthread_self(), caller)) {
    atomic_fetch_add(&came, 1);
    return;
  }
  for (const time_t until = time(NULL) + WAIT_SECONDS; atomic_load(&came) == 0 && time(NULL) < until;) {
    sched_yield();
  }
}

static void in_a_loop(ingot_pool *pool) { ingot_pool_for(pool, look_at_mode, NULL, 2, 1); }

static int32_t run_through(void *const *bases, ingot_pool *pool) {
  ingot_pool_for(pool, look_at_mode, bases, 2, -1000);
  return 0;
}

static void in_a_team(ingot_pool *pool) { ingot_pool_team(pool, run_through, NULL, 0, 1, 1000); }

static int is_carried(void (*shared)(ingot_pool *pool)) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  ingot_pool *pool = ingot_pool_create(2);
  int together = 0;
  fesetround(FE_TOWARDZERO); /* what the worker inherits */
  atomic_store(&wrong, 0);
  for (int i = 0; i < LOOPS; i++) {
    atomic_store(&came, 0);
    fesetround(modes[i % 4]);
    wanted = mode_here();
    shared(pool);
    together += atomic_load(&came) != 0;
  }
  fesetround(FE_TONEAREST);
  ingot_pool_destroy(pool);
  return together > LOOPS / 2 && atomic_load(&wrong) == 0;
}

int main(void) {
  caller = pthread_self();
  return !is_carried(in_a_loop) + 2 * !is_carried(in_a_team);
}
