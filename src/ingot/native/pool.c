/* See pool.h.
 *
 * The iterations of a loop are cut into ranges, and every thread has a share of them, the same part of the loop each time: what it
 * wrote into its cache in one kernel it reads from there in the next. Who is done with its share takes ranges of others'.
 *
 * A loop is published by writing its fields and then `open`, its number, which never comes again. Whoever takes a range counts it
 * in the `taken` of the share, beside the number of the loop, so all ranges of a share count as free once a new number is open, and
 * none is after the loop has ended: who comes late finds nothing to take. A worker counts the ranges that it has `done`, and the
 * caller waits for as many as it has not done itself. Thus it never waits for a worker that has not woken up yet: a loop is done
 * when its ranges are.
 *
 * What makes a short loop expensive is that lines of memory go from core to core, some 60 ns each time. Therefore who writes what
 * decides where it stands: what workers look at while they wait changes only with a new loop, a share's `taken` stays with its
 * thread unless another one comes to help, and what only callers need has lines of its own.
 *
 * Both sides spin for a while, which costs a loop well below a microsecond, and then sleep on a condition variable. To wake a
 * sleeper costs tens of microseconds until it helps, so that is done only when the loops since it fell asleep would have gained as
 * much. Whoever wakes looks at the count of sleepers after publishing, whoever sleeps looks for news after counting itself, so no
 * wake-up is lost.
 *
 * What it costs to hand a loop over is no constant. Of a virtual machine two processors may share a cache now and not in a minute,
 * and a loop then costs six times as much, and so does each line that one of them reads behind the other; or another program has the
 * processor of a worker that was believed to be awake. So now and then a loop without any work is timed, and by that the pool
 * judges how long a loop must be.
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
  WAKE_GRAINS = 64,            /* about the work of one thread in the time that it takes to wake another */
  GRAIN_NANOSECONDS = 500,     /* of work */
  LEAST_GRAINS = 2,            /* of a loop that is shared out */
  FAIR_NANOSECONDS = 300,      /* for a loop without work; half of that where processors share a cache */
  PAYS = 24,                   /* where it takes longer, a loop must take so many times as long */
  MOST_GRAINS = 43,            /* that a loop must have: longer ones are worth it in any case */
  TRIALS = 4,                  /* of a loop without work; the quickest counts */
  TRIAL_SPINS = 128,           /* moments that the caller waits for a worker then; more, and it does not run */
  SOON = 64,                   /* loops until the next trial: the first, and to see whether a bad one was an accident */
  OFTEN = 1024,                /* while loops cost what they should */
  SELDOM = 1024,               /* while they cost more for long: workers may have to be woken for a trial */
  WAKING_NANOSECONDS = 60000,  /* from such a call to the trial: a worker has come by then, and does not yet give way to others */
  EAGER_NANOSECONDS = 50000,   /* of waiting, before giving way to whoever else wants the processor */
  SPIN_NANOSECONDS = 1000000,  /* of waiting, before sleeping: longer than what a model computes alone between two loops */
  SPINS = 64,                  /* between two looks at the clock */
  PATIENCE = 4,                /* moments that the caller waits for the workers' last ranges, before it looks for some to take */
  TAKEN_BITS = 16,             /* of the number of ranges taken, beside a number of 48 bits: for years of loops */
  TAKEN_MASK = (1 << TAKEN_BITS) - 1,
  STACK_BYTES = 4 << 20,
  LINE = 64
};

enum { NOT_STARTED = 0, STARTING = -1 };

/* What one thread has of the loop; number 0 is the caller's. */
typedef struct {
  _Alignas(LINE) _Atomic uint64_t taken; /* number of a loop, and in the lowest bits how many of its ranges were taken */
  _Alignas(LINE) _Atomic int64_t done;   /* ranges that the worker has done, of all loops; only the worker writes this */
  int32_t number;
  ingot_pool *pool;
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
  int32_t per_share; /* ranges */
} loop;

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
  _Atomic int32_t stop;

  /* Seldom written. */
  _Alignas(LINE) _Atomic int32_t sleepers;
  _Atomic int32_t caller_sleeps;
  share *all;
  _Atomic int32_t *mark; /* 1 in the process whose workers these are, 0 in a child of it; NULL where that cannot be had */
  _Atomic int32_t owner; /* process whose workers these are, NOT_STARTED or STARTING */
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
  int32_t interval;                    /* loops from trial to trial */
  int32_t until;                       /* loops until the next one */
  int32_t woken;                       /* whether sleepers were called for it */
  int64_t called;                      /* when */
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

/* Takes a range of a share. Returns its number in the share, or -1 if all are taken. */
static int32_t take(share *from, const loop *now) {
  uint64_t taken = atomic_load_explicit(&from->taken, memory_order_relaxed);
  for (;;) {
    const uint64_t number = taken >> TAKEN_BITS;
    const int32_t count = number == now->number ? (int32_t)(taken & TAKEN_MASK) : 0;
    if (number > now->number || count >= now->per_share) {
      return -1;
    }
    const uint64_t more = (now->number << TAKEN_BITS) + (uint64_t)count + 1;
    if (atomic_compare_exchange_weak(&from->taken, &taken, more)) {
      return count;
    }
  }
}

/* Does ranges of one share until none is left. Returns how many; they are counted in `done`, if it is given. */
static int32_t do_share(ingot_pool *pool, const loop *now, int32_t number, _Atomic int64_t *done) {
  int32_t count = 0;
  for (int32_t at; (at = take(&pool->all[number], now)) >= 0; count++) {
    const uint32_t range = (uint32_t)(number * now->per_share + at);
    now->body(now->args, start_of(now, range), start_of(now, range + 1));
    if (done != NULL) {
      atomic_store(done, atomic_load_explicit(done, memory_order_relaxed) + 1);
    }
  }
  return count;
}

/* Does ranges of all shares but `own`. Returns how many. */
static int32_t help(ingot_pool *pool, const loop *now, int32_t own, _Atomic int64_t *done) {
  int32_t count = 0;
  for (int32_t i = 1; i < now->shares; i++) {
    const int32_t number = own + i < now->shares ? own + i : own + i - now->shares;
    if (number != 0 || now->per_share > 1) { /* its only range the caller takes before all else */
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
      const int32_t number = own->number % now.shares;
      do_share(pool, &now, number, &own->done);
      help(pool, &now, number, &own->done);
      if (atomic_load(&pool->caller_sleeps)) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
      }
    }
  }
  return NULL;
}

/* As for a new pool: nothing is known yet. */
static void forget_costs(ingot_pool *pool) {
  pool->least = LEAST_GRAINS;
  pool->interval = SOON;
  pool->until = SOON;
  pool->woken = 0;
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
  pool->given = 0;
  forget_costs(pool);

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

/* Wakes all sleepers. */
static void wake(ingot_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->calls++;
  pthread_mutex_unlock(&pool->mutex);
  pthread_cond_broadcast(&pool->news);
}

/* Opens a loop for so many threads. */
static loop publish(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int32_t threads, int64_t grains) {
  const int32_t per_share = grains < (int64_t)threads * RANGES_PER_THREAD ? (int32_t)grains / threads : RANGES_PER_THREAD;
  const int32_t ranges = threads * per_share;
  const loop now = {++pool->number, body,    args, extent / ranges, (uint32_t)(extent % ranges), (uint32_t)ranges,
                    threads,        per_share};
  atomic_store_explicit(&pool->open, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->body, body, memory_order_release);
  atomic_store_explicit(&pool->args, args, memory_order_release);
  atomic_store_explicit(&pool->each, now.each, memory_order_release);
  atomic_store_explicit(&pool->more, now.more, memory_order_release);
  atomic_store_explicit(&pool->ranges, now.ranges, memory_order_release);
  atomic_store_explicit(&pool->shares, now.shares, memory_order_release);
  atomic_store_explicit(&pool->per_share, now.per_share, memory_order_release);
  atomic_store(&pool->open, now.number);
  if (pool->missed >= WAKE_GRAINS && atomic_load(&pool->sleepers) > 0) {
    pool->missed = 0;
    wake(pool);
  }
  return now;
}

/* The caller's part of a loop. */
static void share_out(ingot_pool *pool, const loop *now) {
  int32_t mine = do_share(pool, now, 0, NULL);
  pool->given += (int64_t)now->ranges - mine;
  for (int32_t i = 0; i < PATIENCE && !is_done(pool); i++) {
    relax(); /* workers begin a little later; to look at their shares now would hold them up */
  }
  mine = is_done(pool) ? 0 : help(pool, now, 0, NULL);
  pool->given -= mine;
  wait_for_workers(pool);
}

static void do_nothing(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  (void)begin;
  (void)end;
}

/* Nanoseconds that a loop without work takes with one worker; very many if it does not come. */
static int64_t trial(ingot_pool *pool) {
  const int64_t before = nanoseconds(); /* the clock itself may take longer than the loop */
  const int64_t begin = nanoseconds();
  const loop now = publish(pool, do_nothing, NULL, 2, 2, 2);
  const int32_t mine = do_share(pool, &now, 0, NULL);
  pool->given += (int64_t)now.ranges - mine;
  int is_over = is_done(pool);
  for (int i = 0; i < TRIAL_SPINS && !is_over; i++) {
    relax();
    is_over = is_done(pool);
  }
  const int64_t end = nanoseconds();
  pool->given -= help(pool, &now, 0, NULL);
  wait_for_workers(pool);
  return is_over ? end - begin - (begin - before) : INT64_MAX;
}

/* Moves workers away that wait for the caller's own processor. A busy system wakes them there, and while no loop is shared out
 * they do too little for it to look for another. */
static void send_away(ingot_pool *pool) {
#if defined(__linux__) && !defined(__ANDROID__)
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) {
    return;
  }
  for (int32_t i = 0; i < pool->started; i++) {
    cpu_set_t all;
    if (pthread_getaffinity_np(pool->workers[i], sizeof all, &all) == 0 && CPU_ISSET((size_t)here, &all) && CPU_COUNT(&all) > 1) {
      cpu_set_t others = all;
      CPU_CLR((size_t)here, &others);
      pthread_setaffinity_np(pool->workers[i], sizeof others, &others); /* moves it, if it is ready to run there */
      pthread_setaffinity_np(pool->workers[i], sizeof all, &all);
    }
  }
#else
  (void)pool;
#endif
}

/* Finds out what loops cost just now, and says when to do so again. */
static void weigh(ingot_pool *pool) {
  if (pool->woken && nanoseconds() - pool->called < WAKING_NANOSECONDS) {
    pool->until = 1; /* not after so many loops: they may take longer than a worker waits before it sleeps again */
    return;
  }
  if (atomic_load(&pool->sleepers) == pool->started) {
    /* While loops are too short to wake anybody, nobody would ever see that they cost less again. */
    pool->woken = pool->least > LEAST_GRAINS && !pool->woken;
    pool->until = pool->woken ? 1 : pool->interval;
    if (pool->woken) {
      pool->called = nanoseconds();
      wake(pool);
    }
    return;
  }
  int64_t cost = INT64_MAX;
  for (int i = 0; i < TRIALS && cost > FAIR_NANOSECONDS; i++) {
    const int64_t took = trial(pool);
    cost = took < cost ? took : cost;
  }
  if (cost == INT64_MAX) { /* nobody came */
    send_away(pool);
  }
  int64_t least = LEAST_GRAINS;
  if (cost > FAIR_NANOSECONDS) {
    least = cost < MOST_GRAINS * GRAIN_NANOSECONDS / PAYS ? PAYS * cost / GRAIN_NANOSECONDS : MOST_GRAINS;
  }
  if (least <= LEAST_GRAINS) {
    pool->interval = OFTEN;
  } else if (pool->least <= LEAST_GRAINS) {
    pool->interval = SOON;
  } else if (pool->interval < SELDOM) {
    pool->interval *= 2;
  }
  pool->least = least;
  pool->until = pool->interval;
  pool->woken = 0;
}

/* Half microseconds of work in a loop. Of iterations whose length nobody said it may be any number. */
static int64_t length_of(int64_t extent, int64_t grain) {
  if (grain < 0) {
    return extent < INT64_MAX / -grain ? extent * -grain : INT64_MAX;
  }
  return grain > 1 ? extent / grain : INT64_MAX;
}

void ingot_pool_for(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  if (extent <= 0) {
    return;
  }
  const int64_t grains = grain > 1 ? extent / grain : extent;
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
  if (length_of(extent, grain) < pool->least) {
    body(args, 0, extent);
    atomic_store(&pool->busy, 0);
    return;
  }
  const int64_t missed = pool->missed;
  const int32_t threads = threads_for(pool, grains);
  /* Where an iteration is a grain or more, it may be any number of them: what sleepers miss is measured. */
  const int64_t begin = grain <= 1 && pool->missed > missed && pool->missed < WAKE_GRAINS ? nanoseconds() : 0;
  if (threads == 1) {
    body(args, 0, extent);
  } else {
    const loop now = publish(pool, body, args, extent, threads, grains);
    share_out(pool, &now);
  }
  if (begin != 0) {
    const int64_t more = missed + (nanoseconds() - begin) / 2 / GRAIN_NANOSECONDS;
    pool->missed = more < pool->missed ? pool->missed : more < WAKE_GRAINS ? more : WAKE_GRAINS;
  }
  atomic_store(&pool->busy, 0);
}
