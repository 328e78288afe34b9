/* See pool.h. This part has the workers and the calls: see pool_loop.h for how a loop is shared out, pool_costs.h and
 * pool_ways.h for when, pool_team.h for many loops in a row.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pool_costs.h"
#include "pool_loop.h"
#include "pool_team.h"

enum { MAX_THREADS = 1024, STACK_BYTES = 4 << 20, LOST_LOOPS = 1 << 24 };

static void *work(void *argument) {
  share *own = argument;
  ingot_pool *pool = own->pool;
  uint64_t last = 0;
  while (!atomic_load(&pool->stop)) {
    waiting wait = {0, 0};
    while (!has_news(pool, last)) {
      if (!spin(&wait)) {
        sleep_until_called(pool, last);
        wait = (waiting){0, 0};
      }
    }
    loop now;
    if (!atomic_load(&pool->stop) && look(pool, &now)) {
      last = now.number;
      take_floating_point_mode(now.floating_point);
      if (now.shares == 0) {
        join(pool, &now);
        continue; /* whose caller does not sleep */
      }
      const int32_t number = own->number % now.shares;
      do_share(pool, &now, number, &own->done);
      help(pool, &now, number, &own->done);
      atomic_thread_fence(memory_order_seq_cst); /* a caller that goes to sleep behind this look sees what is done */
      if (atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
      }
    }
  }
  return NULL;
}

static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

/* Starts the workers of this process, once, and again in the child of a fork. Returns 0 if another thread is just doing it. */
static int start(ingot_pool *pool) {
  if (pool->mark != NULL && atomic_load_explicit(pool->mark, memory_order_acquire)) {
    return 1;
  }
  const int32_t process = (int32_t)getpid();
  int32_t owner = atomic_load(&pool->owner);
  if (owner == process) {
    return 1;
  }
  /* What a fork interrupted in another thread of the parent says so of the parent, and is begun again. */
  if (owner == -process || !atomic_compare_exchange_strong(&pool->owner, &owner, -process)) {
    return 0;
  }
  /* After a fork nothing that another thread of the parent held or counted is true any more. */
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->news, NULL);
  pthread_cond_init(&pool->done, NULL);
  atomic_store(&pool->open, 0);
  atomic_store(&pool->sleepers, 0);
  atomic_store(&pool->caller_sleeps, 0);
  atomic_store(&pool->busy, 0);
  pool->started = 0;
  pool->given = 0;
  pool->number += LOST_LOOPS; /* of a pair that was just at work: what was taken and passed may count further than this */
  forget_costs(pool);

  pthread_attr_t attributes;
  sigset_t most;
  sigset_t before;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigfillset(&most); /* signals belong to the threads of the host program, but those that a thread's own instructions raise */
  for (size_t i = 0; i < sizeof own_signals / sizeof *own_signals; i++) {
    sigdelset(&most, own_signals[i]);
  }
  pthread_sigmask(SIG_SETMASK, &most, &before);
  for (int32_t number = 1; number < pool->threads; number++) {
    share *own = &pool->all[number];
    own->pool = pool;
    own->number = number;
    atomic_store(&own->done, 0);
    if (pthread_create(&pool->workers[pool->started], &attributes, work, own) != 0) {
      break;
    }
    pool->started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  atomic_store(&pool->owner, process);
  if (pool->mark != NULL) {
    atomic_store_explicit(pool->mark, 1, memory_order_release);
  }
  return 1;
}

/* A number that becomes 0 in the child of a fork, so that no loop has to ask the system which process it is in. */
static _Atomic int32_t *make_mark(void) {
#if defined(MADV_WIPEONFORK)
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  void *mark = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mark == MAP_FAILED) {
    return NULL;
  }
  if (madvise(mark, page, MADV_WIPEONFORK) == 0) {
    return mark;
  }
  munmap(mark, page);
#endif
  return NULL;
}

static void release(ingot_pool *pool) {
  if (pool->mark != NULL) {
    munmap((void *)pool->mark, (size_t)sysconf(_SC_PAGESIZE));
  }
  free(pool->workers);
  free(pool->all);
  free(pool);
}

ingot_pool *ingot_pool_create(int32_t threads) {
  if (threads < 1) {
    return NULL;
  }
  if (threads > MAX_THREADS) {
    threads = MAX_THREADS;
  }
  ingot_pool *pool = NULL;
  if (posix_memalign((void **)&pool, LINE, sizeof *pool) != 0) {
    return NULL;
  }
  *pool = (ingot_pool){.threads = threads, .mark = make_mark()};
  pool->workers = calloc((size_t)threads, sizeof *pool->workers);
  if (pool->workers == NULL || posix_memalign((void **)&pool->all, LINE, (size_t)threads * sizeof *pool->all) != 0) {
    pool->all = NULL;
    release(pool);
    return NULL;
  }
  for (int32_t number = 0; number < threads; number++) {
    atomic_init(&pool->all[number].taken, 0);
    atomic_init(&pool->all[number].joined, 0);
    atomic_init(&pool->all[number].passed, 0);
    atomic_init(&pool->all[number].left, 0);
  }
  return pool;
}

void ingot_pool_destroy(ingot_pool *pool) {
  if (pool == NULL) {
    return;
  }
  if (atomic_load(&pool->owner) == (int32_t)getpid()) {
    atomic_store(&pool->stop, 1);
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->news);
    pthread_mutex_unlock(&pool->mutex);
    for (int32_t i = 0; i < pool->started; i++) {
      pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->news);
    pthread_mutex_destroy(&pool->mutex);
  }
  release(pool);
}

int32_t ingot_pool_threads(const ingot_pool *pool) {
  return pool == NULL || is_member(pool) ? 1 : pool->threads;
}

/* How many threads a loop of so many grains, which has so many half microseconds of work, gets. Those that sleep count once it is
 * worth waking them.
 */
static int32_t threads_for(ingot_pool *pool, int64_t grains, int64_t work) {
  const int32_t most = pool->started + 1 < grains ? pool->started + 1 : (int32_t)grains;
  const int32_t awake = pool->started + 1 - atomic_load(&pool->sleepers);
  if (awake >= most) {
    pool->missed = 0;
    return most;
  }
  const int64_t gain = work / awake - work / most;
  pool->missed = gain < WAKE_GRAINS ? pool->missed + gain : WAKE_GRAINS;
  return pool->missed < WAKE_GRAINS ? awake : most;
}

/* The caller's part of a loop. */
static void share_out(ingot_pool *pool, const loop *now) {
  const int32_t mine = do_own_share(pool, now);
  pool->given += (int64_t)now->ranges - mine;
  for (int32_t i = 0; i < PATIENCE && !is_done(pool); i++) {
    relax(); /* workers begin a little later; to look at their shares now would hold them up */
  }
  const int32_t helped = is_done(pool) ? 0 : help(pool, now, 0, NULL);
  pool->given -= helped;
  note_who_came(pool, (uint32_t)(mine + helped) < now->ranges);
  wait_for_workers(pool);
}

/* Does a loop of so many grains with the workers, if they are awake or worth waking. */
static void do_together(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain, int64_t grains,
                        int64_t length) {
  const int64_t missed = pool->missed;
  /* Where nobody said how long an iteration is, it may be any number of grains: what sleepers miss is measured. */
  const int32_t threads = threads_for(pool, grains, grain < 0 ? length : grains);
  const int64_t begin = grain >= 0 && grain <= 1 && pool->missed > missed && pool->missed < WAKE_GRAINS ? nanoseconds() : 0;
  if (threads == 1) {
    body(args, 0, extent);
  } else {
    const loop now = cut(++pool->number, body, args, extent, threads, grains, length);
    publish(pool, &now);
    share_out(pool, &now);
  }
  if (begin != 0) {
    const int64_t more = missed + (nanoseconds() - begin) / 2 / GRAIN_NANOSECONDS;
    pool->missed = more < pool->missed ? pool->missed : more < WAKE_GRAINS ? more : WAKE_GRAINS;
  }
}

void ingot_pool_for(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  if (extent <= 0) {
    return;
  }
  const int64_t grains = grain > 1 ? extent / grain : extent;
  if (is_member(pool)) {
    do_as_member(member_of(pool), body, args, extent, grains, length_of(extent, grain));
    return;
  }
  if (pool == NULL || grains < 2 || pool->threads == 1) {
    body(args, 0, extent);
    return;
  }
  if (!start(pool) || atomic_exchange(&pool->busy, 1)) {
    body(args, 0, extent); /* the pool works for another thread, or this is a loop within a loop */
    return;
  }
  if (--pool->until <= 0) {
    weigh(pool);
  }
  const int64_t length = length_of(extent, grain);
  const int is_shared = length >= least_now(pool);
  pool->held_back += !is_shared && length >= LEAST_GRAINS;
  /* Iterations of which nobody said how long they are may take another time each time. */
  const int64_t begin = pool->compared != NO_WAY && length >= LEAST_GRAINS && grain != 1 ? nanoseconds() : 0;
  if (is_shared) {
    do_together(pool, body, args, extent, grain, grains, length);
  } else {
    body(args, 0, extent);
  }
  if (begin != 0 && pool->compared != NO_WAY) { /* a child that was forked inside of the loop begins anew */
    note_time(pool, body, extent, 1, begin, nanoseconds());
  }
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
}

int32_t ingot_pool_team(ingot_pool *pool, ingot_team *body, void *const *bases, int32_t count, int32_t loops, int64_t length) {
  if (pool == NULL || is_member(pool) || pool->threads != 2 || count > MOST_BASES || !start(pool) || atomic_exchange(&pool->busy, 1)) {
    return body(bases, pool);
  }
  if ((pool->until -= loops) <= 0) {
    weigh(pool);
  }
  const int64_t least = least_now(pool);
  pool->held_back += least == INT64_MAX ? loops : 0;
  const int64_t begin = pool->compared != NO_WAY ? nanoseconds() : 0;
  const int together = least < INT64_MAX && threads_for(pool, 2, length) == 2;
  const int32_t status = together ? lead(pool, body, bases, count, least) : body(bases, NULL);
  if (begin != 0 && pool->compared != NO_WAY) {
    note_time(pool, (ingot_body *)(void (*)(void))body, length, 1 + loops / PAIR_LOOPS, begin, nanoseconds());
  }
  atomic_store_explicit(&pool->busy, 0, memory_order_release);
  return status;
}

int32_t ingot_pool_turn(ingot_pool *pool) {
  return !is_member(pool) || begin_alone(member_of(pool));
}

void ingot_pool_pass(ingot_pool *pool) {
  if (is_member(pool)) {
    end_alone(member_of(pool));
  }
}
