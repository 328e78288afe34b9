/* See pool.h.
 *
 * The iterations of a loop are cut into ranges, and every thread has a share of them, the same part of the loop each time: what it
 * wrote into its cache in one kernel it reads from there in the next. Who is done with its share takes ranges of others'.
 *
 * A loop is published by writing its fields and then `open`, its number. A worker says that it is `active` before it looks at
 * `open`, and the caller closes the loop before it waits for all workers to be inactive. All of these are sequentially consistent,
 * so either the worker sees that the loop is closed and touches nothing, or the caller sees the worker and waits. Thus a caller
 * never waits for a worker that has not woken up yet: a loop is done when its ranges are.
 *
 * Both sides spin for a while, which costs a loop well below a microsecond, and then sleep on a condition variable. To wake a
 * sleeper costs tens of microseconds until it helps, so that is done only when the loops since it fell asleep would have gained as
 * much. Whoever wakes looks at the count of sleepers after publishing, whoever sleeps looks for news after counting itself, so no
 * wake-up is lost.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_THREADS = 1024,
  RANGES_PER_THREAD = 8,       /* so that a thread that is late, or has a slow core, delays the loop by an eighth of its share */
  WAKE_GRAINS = 16,            /* about the work of one thread in the time that it takes to wake another */
  EAGER_NANOSECONDS = 50000,   /* of waiting, before giving way to whoever else wants the processor */
  SPIN_NANOSECONDS = 1000000,  /* of waiting, before sleeping: longer than what a model computes alone between two loops */
  SPINS = 64,                  /* between two looks at the clock */
  STACK_BYTES = 4 << 20,
  LINE = 64
};

enum { NOT_STARTED = 0, STARTING = -1 };

/* What one thread has of the loop; number 0 is the caller's. */
typedef struct {
  _Alignas(LINE) _Atomic int64_t next; /* first range that nobody took */
  int64_t end;
  _Atomic int32_t active; /* whether the worker may look at the loop */
  int32_t number;
  ingot_pool *pool;
} share;

struct ingot_pool {
  /* The loop. Written by the caller while it has `busy` and no worker is active. */
  ingot_body *body;
  void *const *args;
  int64_t extent;
  int64_t ranges;
  int32_t shares;
  _Atomic uint32_t open; /* number of the loop that is running, 0 between loops */
  _Atomic int32_t stop;
  _Atomic int32_t sleepers;

  _Alignas(LINE) _Atomic int32_t busy; /* one caller at a time */
  _Atomic int32_t owner;               /* process whose workers these are, NOT_STARTED or STARTING */
  _Atomic int32_t caller_sleeps;
  uint32_t number; /* of the last loop; only the caller with `busy` uses these */
  int64_t missed;  /* grains that workers would have taken since they sleep */
  uint32_t calls;  /* of sleepers; under the mutex */
  int32_t threads;
  int32_t started; /* workers that could be started */
  _Atomic int32_t *mark; /* 1 in the process whose workers these are, 0 in a child of it; NULL where that cannot be had */
  share *all;
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

typedef struct {
  uint32_t spins;
  int64_t begin;
} waiting;

/* Passes a moment. Returns 0 when the wait has been long enough to sleep instead. */
static int spin(waiting *wait) {
  relax();
  if (++wait->spins % SPINS != 0) {
    return 1;
  }
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  const int64_t now = (int64_t)clock.tv_sec * 1000000000 + clock.tv_nsec;
  if (wait->spins == SPINS) {
    wait->begin = now;
  }
  if (now - wait->begin > EAGER_NANOSECONDS) {
    sched_yield();
  }
  return now - wait->begin < SPIN_NANOSECONDS;
}

/* The first iteration of a range. */
static int64_t start_of(const ingot_pool *pool, int64_t range) {
  const int64_t each = pool->extent / pool->ranges;
  const int64_t more = pool->extent % pool->ranges; /* so many ranges have one iteration more: the last ones */
  const int64_t plain = pool->ranges - more;
  return each * range + (range > plain ? range - plain : 0);
}

/* Takes ranges of the open loop, one's own first, until none is left. */
static void take_ranges(ingot_pool *pool, int32_t own) {
  for (int32_t i = 0; i < pool->shares; i++) {
    share *from = &pool->all[(own + i) % pool->shares];
    while (atomic_load_explicit(&from->next, memory_order_relaxed) < from->end) {
      const int64_t range = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
      if (range < from->end) {
        pool->body(pool->args, start_of(pool, range), start_of(pool, range + 1));
      }
    }
  }
}

/* Whether there is a loop that the worker has not worked on, or the end. */
static int has_news(ingot_pool *pool, uint32_t last) {
  const uint32_t open = atomic_load(&pool->open);
  return (open != 0 && open != last) || atomic_load(&pool->stop);
}

/* Sleeps until there is news or somebody calls. By then the loop may be over, but another one is likely to follow. */
static void sleep_until_called(ingot_pool *pool, uint32_t last) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  for (const uint32_t calls = pool->calls; pool->calls == calls && !has_news(pool, last);) {
    pthread_cond_wait(&pool->news, &pool->mutex);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

static void leave(ingot_pool *pool, share *own) {
  atomic_store(&own->active, 0);
  if (atomic_load(&pool->caller_sleeps)) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->done);
    pthread_mutex_unlock(&pool->mutex);
  }
}

static void *work(void *argument) {
  share *own = argument;
  ingot_pool *pool = own->pool;
  uint32_t last = 0;
  while (!atomic_load(&pool->stop)) {
    waiting wait = {0, 0};
    while (!has_news(pool, last)) {
      if (!spin(&wait)) {
        sleep_until_called(pool, last);
        wait = (waiting){0, 0};
      }
    }
    atomic_store(&own->active, 1);
    const uint32_t open = atomic_load(&pool->open);
    if (open != 0 && !atomic_load(&pool->stop)) {
      last = open;
      take_ranges(pool, own->number);
    }
    leave(pool, own);
  }
  return NULL;
}

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
  if (owner == STARTING || !atomic_compare_exchange_strong(&pool->owner, &owner, STARTING)) {
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

  pthread_attr_t attributes;
  sigset_t all;
  sigset_t before;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigfillset(&all); /* signals belong to the threads of the host program */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int32_t number = 1; number < pool->threads; number++) {
    share *own = &pool->all[number];
    own->pool = pool;
    own->number = number;
    atomic_store(&own->active, 0);
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

static int is_active(const ingot_pool *pool) {
  for (int32_t i = 1; i <= pool->started; i++) {
    if (atomic_load(&pool->all[i].active)) {
      return 1;
    }
  }
  return 0;
}

/* Waits until no worker looks at the loop any more. */
static void wait_for_workers(ingot_pool *pool) {
  waiting wait = {0, 0};
  while (is_active(pool)) {
    if (!spin(&wait)) {
      pthread_mutex_lock(&pool->mutex);
      atomic_store(&pool->caller_sleeps, 1);
      while (is_active(pool)) {
        pthread_cond_wait(&pool->done, &pool->mutex);
      }
      atomic_store(&pool->caller_sleeps, 0);
      pthread_mutex_unlock(&pool->mutex);
      return;
    }
  }
}

/* How many threads a loop of so many grains gets. Those that sleep count once it is worth waking them. */
static int32_t threads_for(ingot_pool *pool, int64_t grains) {
  const int32_t most = pool->started + 1 < grains ? pool->started + 1 : (int32_t)grains;
  const int32_t awake = pool->started + 1 - atomic_load(&pool->sleepers);
  if (awake >= most) {
    pool->missed = 0;
    return most;
  }
  const int64_t gain = grains / awake - grains / most;
  pool->missed = gain < WAKE_GRAINS ? pool->missed + gain : WAKE_GRAINS;
  return pool->missed < WAKE_GRAINS ? awake : most;
}

static void publish(ingot_pool *pool, int32_t threads, int64_t grains) {
  const int64_t most = (int64_t)threads * RANGES_PER_THREAD;
  pool->ranges = grains < most ? grains / threads * threads : most;
  pool->shares = threads;
  for (int32_t i = 0; i < threads; i++) {
    atomic_store_explicit(&pool->all[i].next, pool->ranges / threads * i, memory_order_relaxed);
    pool->all[i].end = pool->ranges / threads * (i + 1);
  }
  pool->number = pool->number == UINT32_MAX ? 1 : pool->number + 1;
  atomic_store(&pool->open, pool->number);
  if (pool->missed >= WAKE_GRAINS && atomic_load(&pool->sleepers) > 0) {
    pool->missed = 0;
    pthread_mutex_lock(&pool->mutex);
    pool->calls++;
    pthread_mutex_unlock(&pool->mutex);
    pthread_cond_broadcast(&pool->news);
  }
}

void ingot_pool_for(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  if (extent <= 0) {
    return;
  }
  const int64_t grains = extent / (grain < 1 ? 1 : grain);
  if (pool == NULL || grains < 2 || pool->threads == 1) {
    body(args, 0, extent);
    return;
  }
  if (!start(pool) || atomic_exchange(&pool->busy, 1)) {
    body(args, 0, extent); /* the pool works for another thread, or this is a loop within a loop */
    return;
  }
  const int32_t threads = threads_for(pool, grains);
  if (threads == 1) {
    body(args, 0, extent);
  } else {
    pool->body = body;
    pool->args = args;
    pool->extent = extent;
    publish(pool, threads, grains);
    take_ranges(pool, 0);
    atomic_store(&pool->open, 0);
    wait_for_workers(pool);
  }
  atomic_store(&pool->busy, 0);
}
