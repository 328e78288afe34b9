/* Whether a pool shares loops out where that is quicker, and only there, whatever handing them over costs: after a while, again when
 * that changes, not because of one disturbance, nor because that varies, and with what the next loop pays for it. Clock and loops are made up, and no worker
 * runs, so that this depends on no machine. The argument says which of these. Exit status 0: it is so.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>

static int made_up_clock(clockid_t which, struct timespec *clock);
static int made_up_cpu(void);

#define clock_gettime made_up_clock
#define sched_getcpu made_up_cpu
#include "pool.c"

enum { FIRST, SECOND, LOOPS, SHORT = 10, A_WHILE = 2 * AGREE * 3 * STRETCH };

static int64_t now = 1000000000;
static int64_t alone_takes[LOOPS], shared_takes[LOOPS]; /* nanoseconds */
static int64_t after_shared;                            /* that the second loop takes longer behind a first one that was shared out */
static int was_shared[LOOPS];

static int made_up_clock(clockid_t which, struct timespec *clock) {
  (void)which;
  clock->tv_sec = now / 1000000000;
  clock->tv_nsec = now % 1000000000;
  return 0;
}

static int made_up_cpu(void) { return -1; } /* not known, so nobody is moved */

static void pass(int which, int64_t count) {
  was_shared[which] = count < SHORT;
  now += (was_shared[which] ? shared_takes : alone_takes)[which] * count / SHORT;
  now += which == SECOND && was_shared[FIRST] ? after_shared * count / SHORT : 0;
}

static void first(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  pass(FIRST, end - begin);
}

static void second(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  pass(SECOND, end - begin);
}

/* Loops of so many grains in an iteration, one of each kind in turn. */
static void go_on(ingot_pool *pool, int64_t grains, int count) {
  for (int i = 0; i < count; i++) {
    pool->until = 2; /* no trial */
    ingot_pool_for(pool, i % 2 == FIRST ? first : second, NULL, SHORT, -grains);
  }
}

/* The same after what leads to a comparison. */
static void do_loops(ingot_pool *pool, int64_t grains, int count) {
  compare_ways(pool);
  go_on(pool, grains, count);
}

static void set(int64_t alone, int64_t shared) {
  for (int i = 0; i < LOOPS; i++) {
    alone_takes[i] = alone;
    shared_takes[i] = shared;
  }
  after_shared = 0;
}

static int are_shared(int yes) { return was_shared[FIRST] == yes && was_shared[SECOND] == yes; }

static int holds(const char *what, ingot_pool *pool) {
  if (strcmp(what, "follows") == 0) {
    int good = 1;
    for (int i = 0; i < 3; i++) {
      set(10000, 14000); /* nothing is handed over at a high price, and yet it takes longer */
      do_loops(pool, 1, A_WHILE);
      good &= are_shared(0);
      set(10000, 9900); /* no reason to change */
      do_loops(pool, 1, A_WHILE);
      good &= are_shared(0);
      set(10000, 6000);
      do_loops(pool, 1, A_WHILE);
      good &= are_shared(1);
      set(10000, 10100);
      do_loops(pool, 1, A_WHILE);
      good &= are_shared(1);
    }
    return good;
  }
  if (strcmp(what, "disturbed") == 0) { /* by something that goes on for one comparison */
    set(10000, 14000);
    do_loops(pool, 1, 2 * STRETCH);
    set(10000, 6000);
    go_on(pool, 1, A_WHILE);
    return pool->compared == NO_WAY && are_shared(1);
  }
  if (strcmp(what, "dear") == 0) { /* loops too short for what it costs to hand them over */
    pool->least = MOST_GRAINS;
    set(10000, 14000);
    do_loops(pool, 1, A_WHILE);
    int good = are_shared(0);
    set(10000, 6000);
    do_loops(pool, 1, A_WHILE);
    good &= are_shared(1);
    set(10000, 14000); /* and long ones */
    do_loops(pool, MOST_GRAINS, A_WHILE);
    return good && are_shared(0);
  }
  if (strcmp(what, "wavers") == 0) { /* what it costs to hand a loop over varies, but does not change */
    int good = 1;
    pool->rounds = MOST_ROUNDS; /* nothing has changed for long */
    for (int i = 0; i < 100; i++) {
      note_cost(pool, i % 7 == 3 ? 2 * UNFAIR_NANOSECONDS : FAIR_NANOSECONDS / 2 + i % 5 * 100);
      good &= pool->least == LEAST_GRAINS && pool->rounds == MOST_ROUNDS;
      good &= pool->interval == (i % 7 == 3 ? SOON : OFTEN);
    }
    for (int i = 0; i < DOUBTS; i++) {
      good &= pool->least == LEAST_GRAINS && pool->rounds == MOST_ROUNDS;
      note_cost(pool, UNFAIR_NANOSECONDS + 1);
    }
    good &= pool->least == PAYS * (UNFAIR_NANOSECONDS + 1) / GRAIN_NANOSECONDS && pool->rounds == 1;
    note_cost(pool, FAIR_NANOSECONDS + 1); /* and is not cheap again by so little */
    good &= pool->least > LEAST_GRAINS;
    note_cost(pool, INT64_MAX); /* nobody came */
    good &= pool->least == MOST_GRAINS;
    note_cost(pool, FAIR_NANOSECONDS);
    return good && pool->least == LEAST_GRAINS;
  }
  if (strcmp(what, "next") == 0) {
    set(10000, 9000);
    after_shared = 6000;
    shared_takes[SECOND] = 10000;
    do_loops(pool, 1, A_WHILE);
    return are_shared(0);
  }
  if (strcmp(what, "long") == 0) { /* too long to do some of them the wrong way */
    set(400000, 900000);
    do_loops(pool, 100, A_WHILE);
    return are_shared(1);
  }
  return 0;
}

int main(int count_of_words, char **words) {
  share shares[2] = {0};
  pthread_t worker = pthread_self();
  ingot_pool pool = {.threads = 2, .started = 1, .all = shares, .workers = &worker, .owner = (int32_t)getpid(), .busy = 0};
  forget_costs(&pool);
  return count_of_words != 2 || !holds(words[1], &pool);
}
