/* Part of pool.c: which loops are shared out, by measuring whether that is quicker.
 *
 * What it costs to hand a loop over does not say what it gains. Two processors of a virtual machine may be two threads of one core:
 * nothing is handed over faster, and yet both together do no more than one of them, or less. Where processors are far from one
 * another, a loop that reads weights gains, and an equally long one that reads what the other thread wrote loses. Nor can it be
 * seen from one loop alone, because the next one pays for what this one left in whose cache. So now and then some loops in a row
 * are done each way, and the way in which they took least time is kept.
 */
#ifndef INGOT_POOL_WAYS_H
#define INGOT_POOL_WAYS_H

#include <string.h>

#include "pool_loop.h"

/* Which loops are shared out: all that are worth it where handing over is cheap; those that are worth what it costs now; none. */
enum { ALL, LONG, ALONE, NO_WAY };

enum {
  LEAST_GRAINS = 2,       /* of a loop that is shared out */
  STRETCH = 64,           /* loops in a row that are done one way */
  WARMING = 16,           /* of them, which find in caches what another way left there, and do not count */
  LONG_STRETCH = 2000000, /* nanoseconds, which end it in any case: so loops of a tenth of a millisecond are not looked at */
  PAIR_LOOPS = 2,         /* of a pair that count as one: few pairs would say too little */
  PROBES = 8,             /* places where the times of a loop may be; if all are another's, it is not looked at */
  AGREE = 2,              /* comparisons in a row that another way must win */
  MOST_ROUNDS = 16,       /* trials from comparison to comparison, while nothing changes; */
  MOST_ALONE = 4          /* while no loop is shared out, because by then there may be others */
};

/* Begins a comparison, while none goes on. */
static void compare_ways(ingot_pool *pool) {
  memset(pool->times, 0, sizeof pool->times);
  pool->compared = ALL; /* first, because workers are awake now */
  pool->stretch = 0;
}

/* As for a new pool. */
static void forget_ways(ingot_pool *pool) {
  pool->way = LONG;
  pool->compared = NO_WAY;
  pool->winner = LONG;
  pool->wins = 0;
  pool->rounds = 1;
  pool->until_compared = 1;
}

/* The times of a loop; NULL: there is no place for them. */
static times *times_of(ingot_pool *pool, ingot_body *body, int64_t extent) {
  const uintptr_t first = (uintptr_t)body >> 4; /* functions begin at multiples of 16 */
  for (uintptr_t probe = 0; probe < PROBES; probe++) {
    times *found = &pool->times[(first + probe) % KNOWN_LOOPS];
    if (found->body == NULL) {
      found->body = body;
      found->extent = extent;
    }
    if (found->body == body && found->extent == extent) {
      return found;
    }
  }
  return NULL;
}

/* Nanoseconds of the loops that were done each way, as often as in the first stretch; 0: no loop was. */
static int64_t total_of(const ingot_pool *pool, int32_t way) {
  int64_t total = 0;
  for (int i = 0; i < KNOWN_LOOPS; i++) {
    const times *one = &pool->times[i];
    if (one->count[ALL] > 0 && one->count[ALONE] > 0 && (pool->least <= LEAST_GRAINS || one->count[LONG] > 0)) {
      total += one->took[way] * one->count[ALL] / one->count[way];
    }
  }
  return total;
}

/* Keeps the quickest way, if it has been that often enough. What is a sixteenth quicker or less is no reason to change. */
static void judge_ways(ingot_pool *pool) {
  const int is_cheap = pool->least <= LEAST_GRAINS;
  const int32_t kept = is_cheap && pool->way == LONG ? ALL : pool->way;
  int32_t best = kept;
  int64_t bound = total_of(pool, kept);
  bound -= bound / 16;
  for (int32_t way = ALL; way < NO_WAY; way++) {
    const int64_t total = is_cheap && way == LONG ? bound : total_of(pool, way);
    if (total < bound) {
      best = way;
      bound = total;
    }
  }
  pool->compared = NO_WAY;
  if (best == kept) {
    pool->wins = 0;
    const int32_t most = kept == ALONE ? MOST_ALONE : MOST_ROUNDS;
    pool->rounds = pool->rounds * 2 < most ? pool->rounds * 2 : most;
  } else {
    pool->wins = best == pool->winner ? pool->wins + 1 : 1;
    pool->winner = best;
    pool->rounds = 1;
    if (pool->wins < AGREE) {
      compare_ways(pool);
    } else {
      pool->way = best;
      pool->wins = 0;
    }
  }
  pool->until_compared = pool->rounds;
}

/* Takes note of a loop that began and ended at these times, while ways are compared, or of a pair, which counts as several. */
static void note_time(ingot_pool *pool, ingot_body *body, int64_t extent, int32_t loops, int64_t begin, int64_t end) {
  times *of = pool->stretch < WARMING ? NULL : times_of(pool, body, extent);
  if (of != NULL) {
    of->count[pool->compared]++;
    of->took[pool->compared] += end - begin;
  }
  if (pool->stretch == 0) {
    pool->stretch_end = begin + LONG_STRETCH;
  }
  pool->stretch += loops;
  if (pool->stretch < STRETCH && end < pool->stretch_end) {
    return;
  }
  pool->stretch = 0;
  pool->compared += pool->compared == ALL && pool->least <= LEAST_GRAINS ? 2 : 1;
  if (pool->compared == NO_WAY) {
    judge_ways(pool);
  }
}

/* The grains of a loop that is shared out just now, at least. One of unknown length has more in any case. */
static int64_t least_now(const ingot_pool *pool) {
  const int32_t way = pool->compared != NO_WAY ? pool->compared : pool->way;
  return way == ALL ? LEAST_GRAINS : way == LONG ? pool->least : INT64_MAX;
}

#endif
