/* Part of pool.c: which loops are quicker when they are shared out, by measuring it.
 *
 * What it costs to hand a loop over does not say what it gains. Two processors of a virtual machine may be two threads of one core:
 * nothing is handed over faster, and yet two threads do no more than one, or less. Where they are far from one another, a loop that
 * reads weights gains, and an equally long one that reads what the other thread wrote loses. So each loop has a habit: it is shared
 * out, or not. Now and then it is done both ways in turns, and the quicker one becomes the habit. A time counts as the least of
 * several, so what disturbs one of them does no harm.
 */
#ifndef INGOT_POOL_HABITS_H
#define INGOT_POOL_HABITS_H

#include <string.h>

#include "pool_loop.h"

enum {
  PROBES = 8,       /* places where the habit of a loop may be; if all are another's, it is shared out by its length */
  PAIRS = 4,        /* of both ways, all of which the other one must win to become the habit */
  FIRST_LOOK = 16,  /* times that a loop is done until it is looked at; twice as many each time the habit stays, up to */
  SELDOM_LOOK = 256 /* this: a single one in so many is then done the wrong way */
};

static void forget_habits(ingot_pool *pool) { memset(pool->habits, 0, sizeof pool->habits); }

static void end_look(habit *of, int32_t until) {
  of->interval = until;
  of->until = until;
  of->samples = 0;
  of->least[0] = INT64_MAX;
  of->least[1] = INT64_MAX;
}

/* The habit of a loop; a new one is to share it out if it is `long_enough`. NULL: there is no place for it. */
static habit *habit_of(ingot_pool *pool, ingot_body *body, int64_t extent, int long_enough) {
  const uintptr_t first = (uintptr_t)body >> 4; /* functions begin at multiples of 16 */
  for (uintptr_t probe = 0; probe < PROBES; probe++) {
    habit *found = &pool->habits[(first + probe) % HABITS];
    if (found->body == body && found->extent == extent) {
      return found;
    }
    if (found->body == NULL) {
      found->body = body;
      found->extent = extent;
      found->is_shared = long_enough;
      end_look(found, FIRST_LOOK);
      return found;
    }
  }
  return NULL;
}

/* Takes note of how long a loop took one way, which is the other one than its habit every second time. */
static void note_time(habit *of, int is_shared, int64_t took) {
  of->least[is_shared] = took < of->least[is_shared] ? took : of->least[is_shared];
  if (++of->samples % 2 != 0) {
    return;
  }
  const int64_t usual = of->least[of->is_shared];
  if (of->least[!of->is_shared] >= usual - usual / 16) {
    end_look(of, of->interval * 2 < SELDOM_LOOK ? of->interval * 2 : SELDOM_LOOK);
  } else if (of->samples == 2 * PAIRS) {
    of->is_shared = !of->is_shared;
    end_look(of, FIRST_LOOK);
  }
}

#endif
