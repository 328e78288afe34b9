/* Part of pool.c: what it costs to hand a loop over, and what follows from that.
 *
 * What it costs to hand a loop over is no constant. Of a virtual machine two processors may share a cache now and not in a minute,
 * and a loop then costs six times as much, and so does each line that one of them reads behind the other; or another program has the
 * processor of a worker that was believed to be awake. So now and then a loop without any work is timed, and by that the pool
 * judges how long a loop must be, until it has measured whether that is so: see pool_ways.h.
 */
#ifndef INGOT_POOL_COSTS_H
#define INGOT_POOL_COSTS_H

#include <pthread.h>
#include <sched.h>

#include "pool_loop.h"
#include "pool_ways.h"

enum {
  GRAIN_NANOSECONDS = 500,     /* of work */
  FAIR_NANOSECONDS = 300,      /* for a loop without work; half of that where processors share a cache */
  UNFAIR_NANOSECONDS = 600,    /* what is between them says nothing new: on some processors it varies by that much from trial to trial */
  DOUBTS = 2,                  /* trials in a row that must say that loops are no longer fair */
  PAYS = 24,                   /* where it takes longer, a loop must take so many times as long */
  MOST_GRAINS = 43,            /* that a loop must have: longer ones are worth it in any case */
  TRIALS = 4,                  /* of a loop without work; the quickest counts */
  TRIAL_SPINS = 128,           /* moments that the caller waits for a worker then; more, and it does not run */
  SOON = 64,                   /* loops until the next trial: the first, and to see whether a bad one was an accident */
  OFTEN = 1024,                /* while loops cost what they should */
  SELDOM = 1024,               /* while they cost more for long: workers may have to be woken for a trial */
  FEW_ALONE = 4,               /* loops to which no worker came, before it is sent away; twice as many the next time, */
  MANY_ALONE = 64,             /* up to these, and one less for each loop to which somebody came */
  WAKING_NANOSECONDS = 60000   /* from such a call to the trial: a worker has come by then, and does not yet give way to others */
};

/* As for a new pool: nothing is known yet. */
static void forget_costs(ingot_pool *pool) {
  pool->least = LEAST_GRAINS;
  pool->interval = SOON;
  pool->until = SOON;
  pool->woken = 0;
  pool->alone = 0;
  pool->bearable = FEW_ALONE;
  pool->held_back = 0;
  pool->doubts = 0;
  forget_ways(pool);
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
  const loop now = cut(++pool->number, do_nothing, NULL, 2, 2, 2, 2);
  publish(pool, &now);
  const int32_t mine = do_own_share(pool, &now);
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

/* Says whether a worker took part in a loop that was shared out. Where none did time and again, they wait for the caller's processor:
 * each loop is as slow as on one thread then, and there may be a thousand until the next trial.
 */
static void note_who_came(ingot_pool *pool, int somebody) {
  if (somebody) {
    pool->alone = 0;
    pool->bearable -= pool->bearable > FEW_ALONE;
  } else if (++pool->alone >= pool->bearable) {
    pool->alone = 0;
    pool->bearable = pool->bearable * 2 < MANY_ALONE ? pool->bearable * 2 : MANY_ALONE;
    send_away(pool);
  }
}

/* What a loop without work may take, to change nothing. */
static int64_t fair_now(const ingot_pool *pool) {
  return pool->least <= LEAST_GRAINS ? UNFAIR_NANOSECONDS : FAIR_NANOSECONDS;
}

/* Says how long a loop must be, and when to find that out again, by what a loop without work takes just now. */
static void note_cost(ingot_pool *pool, int64_t cost) {
  const int was_fair = pool->least <= LEAST_GRAINS;
  pool->doubts = cost > fair_now(pool) ? pool->doubts + 1 : 0;
  const int is_fair = pool->doubts < (was_fair && cost != INT64_MAX ? DOUBTS : 1);
  if (pool->doubts == 0) {
    pool->interval = OFTEN;
  } else if (was_fair) { /* until now */
    pool->interval = SOON;
  } else if (pool->interval < SELDOM) {
    pool->interval *= 2;
  }
  if (is_fair != was_fair) {
    forget_ways(pool);
  }
  pool->least = LEAST_GRAINS;
  if (!is_fair) {
    pool->least = cost < MOST_GRAINS * GRAIN_NANOSECONDS / PAYS ? PAYS * cost / GRAIN_NANOSECONDS : MOST_GRAINS;
  }
}

/* Finds out what loops cost just now, and says when to do so again. */
static void weigh(ingot_pool *pool) {
  if (pool->woken && nanoseconds() - pool->called < WAKING_NANOSECONDS) {
    pool->until = 1; /* not after so many loops: they may take longer than a worker waits before it sleeps again */
    return;
  }
  if (atomic_load(&pool->sleepers) == pool->started) {
    /* While loops are too short to wake anybody, nobody would ever see that they cost less again. */
    pool->woken = pool->held_back > 0 && !pool->woken;
    pool->until = pool->woken ? 1 : pool->interval;
    if (pool->woken) {
      pool->called = nanoseconds();
      wake(pool);
    }
    return;
  }
  const int64_t fair = fair_now(pool);
  int64_t cost = INT64_MAX;
  for (int i = 0; i < TRIALS && cost > fair; i++) {
    const int64_t took = trial(pool);
    cost = took < cost ? took : cost;
  }
  if (cost == INT64_MAX) { /* nobody came */
    send_away(pool);
  }
  note_cost(pool, cost);
  if (pool->compared == NO_WAY && --pool->until_compared <= 0) {
    compare_ways(pool);
  }
  pool->held_back = 0;
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

#endif
