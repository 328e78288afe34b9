/* Whether a worker that may run on the caller's processor and on others is sent to the others, and then may run where it might
 * before; whether one that somebody bound to a processor is left there; and whether that is done when no worker came to loop after
 * loop, more seldom each time, and never while one comes. What the system makes of that is its own matter: the calls are caught.
 * The argument says which of these. Exit status 0: it is so.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { HERE = 1, MOST_MOVES = 4 };

static cpu_set_t allowed;
static cpu_set_t told[MOST_MOVES];
static int moves;

static int made_up_get(pthread_t thread, size_t bytes, cpu_set_t *where) {
  (void)thread;
  (void)bytes;
  *where = allowed;
  return 0;
}

static int made_up_set(pthread_t thread, size_t bytes, const cpu_set_t *where) {
  (void)thread;
  (void)bytes;
  if (moves < MOST_MOVES) {
    told[moves] = *where;
  }
  moves++;
  return 0;
}

static int made_up_cpu(void) { return HERE; }

#define pthread_getaffinity_np made_up_get
#define pthread_setaffinity_np made_up_set
#define sched_getcpu made_up_cpu
#include "pool.c"

static void send(uint32_t processors) {
  pthread_t worker = pthread_self();
  ingot_pool pool = {.started = 1, .workers = &worker};
  CPU_ZERO(&allowed);
  for (unsigned i = 0; i < 32; i++) {
    if (processors >> i & 1) {
      CPU_SET(i, &allowed);
    }
  }
  moves = 0;
  send_away(&pool);
}

static int is(const cpu_set_t *where, uint32_t processors) {
  int same = CPU_COUNT(where) == __builtin_popcount(processors);
  for (unsigned i = 0; i < 32; i++) {
    same &= !CPU_ISSET(i, where) == !(processors >> i & 1);
  }
  return same;
}

static int sends_where_it_may_run(void) {
  send(0x7);
  int good = moves == 2 && is(&told[0], 0x5) && is(&told[1], 0x7);
  send(1 << HERE);
  good &= moves == 0;
  send(0x5); /* it cannot be in the caller's way */
  return good && moves == 0;
}

static int64_t done;

static void count(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  done += end - begin;
}

/* Loops that are shared out, although no worker runs, until one is sent away; -1 if an iteration was left out. */
static int loops_until_sent(ingot_pool *pool) {
  moves = 0;
  for (int loops = 1; loops <= 1000; loops++) {
    done = 0;
    pool->until = 2; /* no trial */
    ingot_pool_for(pool, count, NULL, 100, -10);
    if (done != 100) {
      return -1;
    }
    if (moves > 0) {
      return loops;
    }
  }
  return 0;
}

static int sends_when_nobody_comes(void) {
  share shares[2] = {0};
  pthread_t worker = pthread_self();
  ingot_pool pool = {.threads = 2, .started = 1, .all = shares, .workers = &worker, .owner = (int32_t)getpid(), .busy = 0};
  forget_costs(&pool);
  CPU_ZERO(&allowed);
  CPU_SET(HERE, &allowed);
  CPU_SET(HERE + 1, &allowed);
  int good = 1;
  for (int expected = FEW_ALONE; expected < MANY_ALONE; expected *= 2) {
    good &= loops_until_sent(&pool) == expected;
  }
  good &= loops_until_sent(&pool) == MANY_ALONE && loops_until_sent(&pool) == MANY_ALONE;
  for (int i = 0; i < MANY_ALONE; i++) {
    note_who_came(&pool, 1);
  }
  return good && moves == 2 && loops_until_sent(&pool) == FEW_ALONE;
}

int main(int count_of_words, char **words) {
  if (count_of_words == 2 && strcmp(words[1], "where") == 0) {
    return !sends_where_it_may_run();
  }
  return count_of_words != 2 || strcmp(words[1], "when") != 0 || !sends_when_nobody_comes();
}
