/* Part of pool.c: what a loop is while it is shared out, and how its ranges are taken, done and waited for.
 *
 * The iterations of a loop are cut into ranges, and every thread has a share of them, the same part of the loop each time: what it
 * wrote into its cache in one kernel it reads from there in the next. Who is done with its share takes ranges of others'.
 *
 * A loop is published by writing its fields and then `open`, its number, which never comes again. Whoever takes a range counts it
 * in the `taken` of the share, beside the number of the loop, so all ranges of a share count as free once a new number is open,
 * but the caller's first, and none is after the loop has ended: who comes late finds nothing to take. A worker counts the ranges
 * that it has `done`, and the caller waits for as many as it has not done itself. Thus it never waits for a worker that has not
 * woken up yet: a loop is done when its ranges are.
 *
 * What makes a short loop expensive is that lines of memory go from core to core, some 60 ns each time. Therefore who writes what
 * decides where it stands: what workers look at while they wait changes only with a new loop, a share's `taken` stays with its
 * thread unless another one comes to help, and what only callers need has lines of its own. And nobody waits for his own stores
 * while they are on their way: a caller has begun to work by the time the number of its loop has reached the workers.
 *
 * Both sides spin for a while, which costs a loop well below a microsecond, and then sleep on a condition variable. To wake a
 * sleeper costs tens of microseconds until it helps, so that is done only when the loops since it fell asleep would have gained as
 * much. Whoever wakes looks at the count of sleepers after publishing, whoever sleeps looks for news after counting itself, so no
 * wake-up is lost.
 */
#ifndef INGOT_POOL_LOOP_H
#define INGOT_POOL_LOOP_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "pool.h"

enum {
  RANGES_PER_THREAD = 8,       /* so that a thread that is late, or has a slow core, delays the loop by an eighth of its share */
  RANGE_GRAINS = 4,            /* of a range, where there are several: to take one, a thread waits until its stores have arrived */
  WAKE_GRAINS = 64,            /* about the work of one thread in the time that it takes to wake another */
  EAGER_NANOSECONDS = 50000,   /* of waiting, before giving way to whoever else wants the processor */
  SPIN_NANOSECONDS = 1000000,  /* of waiting, before sleeping: longer than what a model computes alone between two loops */
  SPINS = 64,                  /* between two looks at the clock */
  PATIENCE = 8,                /* moments that the caller waits for the workers' last ranges, before it looks for some to take */
  TAKEN_BITS = 16,             /* of the number of ranges taken, beside a number of 48 bits: for years of loops */
  TAKEN_MASK = (1 << TAKEN_BITS) - 1,
  KNOWN_LOOPS = 64, /* whose times a pool compares */
  MOST_BASES = 32,  /* of a pair: see pool_team.h */
  LINE = 64
};

/* What one thread has of the loop; number 0 is the caller's. */
typedef struct {
  _Alignas(LINE) _Atomic uint64_t taken; /* number of a loop, and in the lowest bits how many of its ranges were taken */
  _Atomic uint64_t joined;               /* twice the number of the last pair, and one more if the worker is or was in it */
  _Alignas(LINE) _Atomic int64_t done;   /* ranges that the worker has done, of all loops; only the worker writes this */
  int32_t number;
  ingot_pool *pool;
  _Alignas(LINE) _Atomic uint64_t passed; /* by a member of a pair, the last loop: twice its number; one less while it helps */
  _Atomic uint64_t left;                  /* number of the pair that the worker was in last */
} share;

/* A loop as a thread sees it. */
typedef struct {
  uint64_t number;
  ingot_body *body;
  void *const *args;
  int64_t each;  /* iterations of a range, at least */
  uint32_t more; /* so many of the ranges, spread evenly, have one iteration more */
  uint32_t ranges;
  int32_t shares;
  int32_t per_share;       /* ranges */
  uint32_t floating_point; /* the caller's mode, in a loop that was looked at: see floating_point_mode */
} loop;

/* What a loop took while ways were compared: see pool_ways.h. */
typedef struct {
  ingot_body *body; /* NULL: of no loop yet */
  int64_t extent;
  int64_t count[3]; /* how often it was done each way */
  int64_t took[3];  /* nanoseconds, together */
} times;

struct ingot_pool {
  /* The loop that is or was running. Written by the caller that has `busy`, read by workers at any time, so each field is atomic;
     what a worker has read belongs together if `open` is the same before and after. */
  _Atomic uint64_t open; /* its number; 0 while the others are being written */
  ingot_body *_Atomic body;
  void *const *_Atomic args;
  _Atomic int64_t each;
  _Atomic uint32_t more;
  _Atomic uint32_t ranges;
  _Atomic int32_t shares;
  _Atomic int32_t per_share;
  _Atomic uint32_t floating_point;
  _Atomic int32_t stop;
  _Alignas(LINE) void *_Atomic bases[MOST_BASES]; /* of a pair */

  /* Seldom written. */
  _Alignas(LINE) _Atomic int32_t sleepers;
  _Atomic int32_t caller_sleeps;
  share *all;
  _Atomic int32_t *mark; /* 1 in the process whose workers these are, 0 in a child of it; NULL where that cannot be had */
  _Atomic int32_t owner; /* process whose workers these are; negative while it starts them; 0 before that */
  int32_t threads;
  int32_t started; /* workers that could be started */
  uint32_t calls;  /* of sleepers; under the mutex */
  pthread_mutex_t mutex;
  pthread_cond_t news; /* for workers: a loop opened, or the end */
  pthread_cond_t done; /* for the caller: all ranges are done */
  pthread_t *workers;

  _Alignas(LINE) _Atomic int32_t busy; /* one caller at a time; only the caller that has it uses the rest */
  uint64_t number;                     /* of the last loop */
  int64_t given;                       /* ranges that workers did or do, of all loops */
  int64_t missed;                      /* grains that workers would have taken since they sleep */
  int64_t least;                       /* grains of a loop that is worth sharing out */
  int32_t alone;                       /* loops in a row to which no worker came */
  int32_t bearable;                    /* so many of them, until workers are sent away */
  int32_t interval;                    /* loops from trial to trial */
  int32_t until;                       /* loops until the next one */
  int32_t woken;                       /* whether sleepers were called for it */
  int64_t called;                      /* when */
  int32_t doubts;                      /* trials in a row in which a loop was not fair */
  int64_t held_back;                   /* loops since the last trial that might have been shared out, and were not */
  int32_t way;                         /* which loops are shared out: see pool_ways.h */
  int32_t compared;                    /* the same while ways are compared, this one just now; or none */
  int32_t winner;                      /* of the last comparison */
  int32_t wins;                        /* of it in a row, over the one that is kept */
  int32_t rounds;                      /* trials from comparison to comparison */
  int32_t until_compared;              /* trials until the next one */
  int32_t stretch;                     /* loops done in the way that is looked at */
  int64_t stretch_end;                 /* when they are enough in any case */
  times times[KNOWN_LOOPS];
};

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ __volatile__("yield");
#endif
}

#if defined(__aarch64__)
enum { MODE_BITS = 0x07ff1f07 }; /* of FPCR: without bits that no processor has */
#elif defined(__arm__)
enum { MODE_BITS = 0x07c00000 }; /* of FPSCR: half-precision form, default NaN, flush to zero, rounding */
#else
enum { MODE_BITS = 0xffc0 }; /* of MXCSR: without the flags of what happened */
#endif

/* How this thread computes: the direction of rounding, and whether subnormal numbers are taken for zero. A part of the processor's
 * control register; 0 where that is not known.
 */
static uint32_t floating_point_mode(void) {
#if defined(__SSE__)
  return __builtin_ia32_stmxcsr() & MODE_BITS;
#elif defined(__aarch64__)
  uint64_t mode;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(mode));
  return (uint32_t)mode & MODE_BITS;
#elif defined(__arm__) && defined(__ARM_FP) && !defined(__SOFTFP__)
  uint32_t mode;
  __asm__ __volatile__("vmrs %0, fpscr" : "=r"(mode));
  return mode & MODE_BITS;
#elif defined(__riscv_flen)
  uint32_t mode;
  __asm__ __volatile__("frrm %0" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

/* Lets this thread compute as another one does, whose mode that is: the answer must not depend on who did a range. */
static void take_floating_point_mode(uint32_t mode) {
  if (mode == floating_point_mode()) {
    return; /* as a rule; to write the register takes much longer */
  }
#if defined(__SSE__)
  __builtin_ia32_ldmxcsr(mode);
#elif defined(__aarch64__)
  const uint64_t wide = mode;
  __asm__ __volatile__("msr fpcr, %0" : : "r"(wide));
#elif defined(__arm__) && defined(__ARM_FP) && !defined(__SOFTFP__)
  __asm__ __volatile__("vmsr fpscr, %0" : : "r"(mode));
#elif defined(__riscv_flen)
  __asm__ __volatile__("fsrm %0" : : "r"(mode));
#endif
}

typedef struct {
  uint32_t spins;
  int64_t begin;
} waiting;

static int64_t nanoseconds(void) {
  struct timespec clock;
  clock_gettime(CLOCK_MONOTONIC, &clock);
  return (int64_t)clock.tv_sec * 1000000000 + clock.tv_nsec;
}

/* Passes a moment. Returns 0 when the wait has been long enough to sleep instead. */
static int spin(waiting *wait) {
  relax();
  if (++wait->spins % SPINS != 0) {
    return 1;
  }
  const int64_t now = nanoseconds();
  if (wait->spins == SPINS) {
    wait->begin = now;
  }
  if (now - wait->begin > EAGER_NANOSECONDS) {
    sched_yield();
  }
  return now - wait->begin < SPIN_NANOSECONDS;
}

/* The first iteration of a range. Where shares cannot be equal, the caller's is the longer one: it begins before the others. */
static int64_t start_of(const loop *now, uint32_t range) {
  return now->each * range + (now->more * range + now->ranges - 1) / now->ranges;
}

/* Takes a range of a share. Returns its number in the share, or -1 if all are taken. The caller's first one is never free. */
static int32_t take(ingot_pool *pool, const loop *now, int32_t share_number) {
  share *from = &pool->all[share_number];
  uint64_t taken = atomic_load_explicit(&from->taken, memory_order_acquire);
  for (;;) {
    const uint64_t number = taken >> TAKEN_BITS;
    const int32_t count = number == now->number ? (int32_t)(taken & TAKEN_MASK) : share_number == 0;
    if (number > now->number || count >= now->per_share) {
      return -1;
    }
    const uint64_t more = (now->number << TAKEN_BITS) + (uint64_t)count + 1;
    if (atomic_compare_exchange_weak(&from->taken, &taken, more)) {
      return count;
    }
  }
}

static void do_range(const loop *now, int32_t number, int32_t at) {
  const uint32_t range = (uint32_t)(number * now->per_share + at);
  now->body(now->args, start_of(now, range), start_of(now, range + 1));
}

/* Does ranges of one share until none is left. Returns how many; they are counted in `done`, if it is given. */
static int32_t do_share(ingot_pool *pool, const loop *now, int32_t number, _Atomic int64_t *done) {
  int32_t count = 0;
  for (int32_t at; (at = take(pool, now, number)) >= 0; count++) {
    do_range(now, number, at);
    if (done != NULL) {
      atomic_store_explicit(done, atomic_load_explicit(done, memory_order_relaxed) + 1, memory_order_release);
    }
  }
  return count;
}

/* The caller's share. Returns how many ranges of it the caller has done. */
static int32_t do_own_share(ingot_pool *pool, const loop *now) {
  do_range(now, 0, 0);
  return 1 + (now->per_share > 1 ? do_share(pool, now, 0, NULL) : 0);
}

/* Does ranges of all shares but `own`. Returns how many. */
static int32_t help(ingot_pool *pool, const loop *now, int32_t own, _Atomic int64_t *done) {
  int32_t count = 0;
  for (int32_t i = 1; i < now->shares; i++) {
    const int32_t number = own + i < now->shares ? own + i : own + i - now->shares;
    if (number != 0 || now->per_share > 1) { /* else there is nothing but the caller's first */
      count += do_share(pool, now, number, done);
    }
  }
  return count;
}

/* Whether there is a loop that the worker has not worked on, or the end. */
static int has_news(ingot_pool *pool, uint64_t last) {
  const uint64_t open = atomic_load(&pool->open);
  return (open != 0 && open != last) || atomic_load_explicit(&pool->stop, memory_order_relaxed);
}

/* Reads the open loop. Returns 0 while there is none, or another one is being opened. */
static int look(ingot_pool *pool, loop *now) {
  now->number = atomic_load_explicit(&pool->open, memory_order_acquire);
  now->body = atomic_load_explicit(&pool->body, memory_order_acquire);
  now->args = atomic_load_explicit(&pool->args, memory_order_acquire);
  now->each = atomic_load_explicit(&pool->each, memory_order_acquire);
  now->more = atomic_load_explicit(&pool->more, memory_order_acquire);
  now->ranges = atomic_load_explicit(&pool->ranges, memory_order_acquire);
  now->shares = atomic_load_explicit(&pool->shares, memory_order_acquire);
  now->per_share = atomic_load_explicit(&pool->per_share, memory_order_acquire);
  now->floating_point = atomic_load_explicit(&pool->floating_point, memory_order_acquire);
  return now->number != 0 && atomic_load_explicit(&pool->open, memory_order_relaxed) == now->number;
}

/* Sleeps until there is news or somebody calls. By then the loop may be over, but another one is likely to follow. */
static void sleep_until_called(ingot_pool *pool, uint64_t last) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  for (const uint32_t calls = pool->calls; pool->calls == calls && !has_news(pool, last);) {
    pthread_cond_wait(&pool->news, &pool->mutex);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

/* Whether the workers have done all that was given to them. */
static int is_done(const ingot_pool *pool) {
  int64_t done = 0;
  for (int32_t i = 1; i <= pool->started; i++) {
    done += atomic_load(&pool->all[i].done);
  }
  return done == pool->given;
}

static void wait_for_workers(ingot_pool *pool) {
  waiting wait = {0, 0};
  while (!is_done(pool)) {
    if (!spin(&wait)) {
      pthread_mutex_lock(&pool->mutex);
      atomic_store(&pool->caller_sleeps, 1);
      while (!is_done(pool)) {
        pthread_cond_wait(&pool->done, &pool->mutex);
      }
      atomic_store(&pool->caller_sleeps, 0);
      pthread_mutex_unlock(&pool->mutex);
      return;
    }
  }
}

/* Wakes all sleepers. */
static void wake(ingot_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->calls++;
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_broadcast(&pool->news);
}

/* A loop for so many threads, in ranges of at least an iteration and a grain. `length`: half microseconds of work. */
static loop cut(uint64_t number, ingot_body *body, void *const *args, int64_t extent, int32_t threads, int64_t grains,
                int64_t length) {
  const int64_t pieces = (grains < length / RANGE_GRAINS ? grains : length / RANGE_GRAINS) / threads;
  const int32_t per_share = pieces < 1 ? 1 : pieces < RANGES_PER_THREAD ? (int32_t)pieces : RANGES_PER_THREAD;
  const int32_t ranges = threads * per_share;
  return (loop){number, body, args, extent / ranges, (uint32_t)(extent % ranges), (uint32_t)ranges, threads, per_share, 0};
}

/* Opens a loop for the workers, who compute in the mode of this thread, and wakes those that sleep, if it is worth it. */
static void publish(ingot_pool *pool, const loop *now) {
  atomic_store_explicit(&pool->open, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->body, now->body, memory_order_release);
  atomic_store_explicit(&pool->args, now->args, memory_order_release);
  atomic_store_explicit(&pool->each, now->each, memory_order_release);
  atomic_store_explicit(&pool->more, now->more, memory_order_release);
  atomic_store_explicit(&pool->ranges, now->ranges, memory_order_release);
  atomic_store_explicit(&pool->shares, now->shares, memory_order_release);
  atomic_store_explicit(&pool->per_share, now->per_share, memory_order_release);
  atomic_store_explicit(&pool->floating_point, floating_point_mode(), memory_order_release);
  atomic_store_explicit(&pool->open, now->number, memory_order_release);
  if (pool->missed >= WAKE_GRAINS) {
    atomic_thread_fence(memory_order_seq_cst); /* who counts itself behind this look sees the loop */
    if (atomic_load(&pool->sleepers) > 0) {
      pool->missed = 0;
      wake(pool);
    }
  }
}

#endif
