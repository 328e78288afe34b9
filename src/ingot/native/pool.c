/* See pool.h.
 *
 * A loop is published by writing its fields and then `open`, its number. Workers count themselves in (`active`) before they look at
 * `open`, and the caller closes the loop before it waits for `active` to be zero. All of these are sequentially consistent, so
 * either the worker sees that the loop is closed and touches nothing, or the caller sees the worker and waits. Thus a caller never
 * waits for a worker that has not woken up yet: a loop is done when its ranges are.
 *
 * Both sides spin for a few microseconds and then sleep on a condition variable. Whoever wakes looks at the count of sleepers after
 * publishing, whoever sleeps looks for news after counting itself, so no wake-up is lost.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  MAX_THREADS = 1024,
  RANGES_PER_THREAD = 4,   /* so that a thread that is late, or has a slow core, delays the loop by a quarter of its share */
  WORKER_SPINS = 2000,     /* about 20 to 50 microseconds: longer than the gap between two kernels of a model */
  CALLER_SPINS = 4000,
  STACK_BYTES = 4 << 20,
  LINE = 64
};

enum { NOT_STARTED = 0, STARTING = -1 };

struct ingot_pool {
  /* The loop. Written by the caller while it has `busy` and no worker is active. */
  ingot_body *body;
  void *const *args;
  int64_t extent;
  int64_t range;

  _Alignas(LINE) _Atomic int64_t next;   /* first iteration that nobody took */
  _Alignas(LINE) _Atomic uint32_t open;  /* number of the loop that is running, 0 between loops */
  _Alignas(LINE) _Atomic int32_t active; /* workers that may look at the loop */
  _Alignas(LINE) _Atomic int32_t busy;   /* one caller at a time */
  _Atomic int32_t owner;                 /* process whose workers these are, NOT_STARTED or STARTING */
  _Atomic int32_t sleepers;
  _Atomic int32_t caller_sleeps;
  _Atomic int32_t stop;

  uint32_t number; /* of the last loop; only the caller with `busy` uses it */
  int32_t threads;
  int32_t started; /* workers that could be started */
  pthread_mutex_t mutex;
  pthread_cond_t news; /* for workers: a loop opened, or the end */
  pthread_cond_t done; /* for the caller: no worker is active */
  pthread_t *workers;
};

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ __volatile__("yield");
#endif
}

/* Takes ranges of the open loop until none is left. */
static void take_ranges(ingot_pool *pool) {
  const int64_t extent = pool->extent;
  const int64_t range = pool->range;
  for (;;) {
    const int64_t begin = atomic_fetch_add_explicit(&pool->next, range, memory_order_relaxed);
    if (begin >= extent) {
      return;
    }
    pool->body(pool->args, begin, extent - begin < range ? extent : begin + range);
  }
}

static void leave(ingot_pool *pool) {
  if (atomic_fetch_sub(&pool->active, 1) == 1 && atomic_load(&pool->caller_sleeps)) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
  }
}

/* Whether there is a loop that the worker has not worked on, or the end. */
static int has_news(ingot_pool *pool, uint32_t last) {
  const uint32_t open = atomic_load(&pool->open);
  return (open != 0 && open != last) || atomic_load(&pool->stop);
}

static void *work(void *argument) {
  ingot_pool *pool = argument;
  uint32_t last = 0;
  while (!atomic_load(&pool->stop)) {
    int spins = 0;
    while (!has_news(pool, last) && spins < WORKER_SPINS) {
      relax();
      spins++;
    }
    if (!has_news(pool, last)) {
      pthread_mutex_lock(&pool->mutex);
      atomic_fetch_add(&pool->sleepers, 1);
      while (!has_news(pool, last)) {
        pthread_cond_wait(&pool->news, &pool->mutex);
      }
      atomic_fetch_sub(&pool->sleepers, 1);
      pthread_mutex_unlock(&pool->mutex);
    }
    atomic_fetch_add(&pool->active, 1);
    const uint32_t open = atomic_load(&pool->open);
    if (open != 0 && !atomic_load(&pool->stop)) {
      last = open;
      take_ranges(pool);
    }
    leave(pool);
  }
  return NULL;
}

/* Starts the workers of this process, once, and again in the child of a fork. Returns 0 if another thread is just doing it. */
static int start(ingot_pool *pool, int32_t process) {
  int32_t owner = atomic_load(&pool->owner);
  if (owner == process) {
    return 1;
  }
  if (owner == STARTING || !atomic_compare_exchange_strong(&pool->owner, &owner, STARTING)) {
    return 0;
  }
  /* After a fork nothing that another thread of the parent held or counted is true any more. */
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->news, NULL);
  pthread_cond_init(&pool->done, NULL);
  atomic_store(&pool->open, 0);
  atomic_store(&pool->active, 0);
  atomic_store(&pool->sleepers, 0);
  atomic_store(&pool->caller_sleeps, 0);
  atomic_store(&pool->busy, 0);
  pool->started = 0;

  pthread_attr_t attributes;
  sigset_t all;
  sigset_t before;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigfillset(&all); /* signals belong to the threads of the host program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool->started < pool->threads - 1 &&
         pthread_create(&pool->workers[pool->started], &attributes, work, pool) == 0) {
    pool->started++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  atomic_store(&pool->owner, process);
  return 1;
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
  *pool = (ingot_pool){.threads = threads};
  pool->workers = calloc((size_t)threads, sizeof *pool->workers);
  if (pool->workers == NULL) {
    free(pool);
    return NULL;
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
  free(pool->workers);
  free(pool);
}

/* Waits until no worker looks at the loop any more. */
static void wait_for_workers(ingot_pool *pool) {
  for (int spins = 0; spins < CALLER_SPINS; spins++) {
    if (atomic_load(&pool->active) == 0) {
      return;
    }
    relax();
  }
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->caller_sleeps, 1);
  while (atomic_load(&pool->active) != 0) {
    pthread_cond_wait(&pool->done, &pool->mutex);
  }
  atomic_store(&pool->caller_sleeps, 0);
  pthread_mutex_unlock(&pool->mutex);
}

void ingot_pool_for(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  if (extent <= 0) {
    return;
  }
  if (grain < 1) {
    grain = 1;
  }
  if (pool == NULL || extent <= grain || pool->threads == 1) {
    body(args, 0, extent);
    return;
  }
  if (!start(pool, (int32_t)getpid()) || atomic_exchange(&pool->busy, 1)) {
    body(args, 0, extent); /* the pool works for another thread, or this is a loop within a loop */
    return;
  }
  const int64_t most = (int64_t)(pool->started + 1) * RANGES_PER_THREAD;
  int64_t range = extent / most + (extent % most != 0);
  if (range < grain) {
    range = grain;
  }
  pool->body = body;
  pool->args = args;
  pool->extent = extent;
  pool->range = range;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  pool->number = pool->number == UINT32_MAX ? 1 : pool->number + 1;
  atomic_store(&pool->open, pool->number);
  if (atomic_load(&pool->sleepers) > 0) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->news);
    pthread_mutex_unlock(&pool->mutex);
  }
  take_ranges(pool);
  atomic_store(&pool->open, 0);
  wait_for_workers(pool);
  atomic_store(&pool->busy, 0);
}
