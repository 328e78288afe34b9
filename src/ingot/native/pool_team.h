/* Part of pool.c: paired threads, which run through the same loops.
 *
 * To hand a loop over, its number goes to the worker, and word that it is done comes back: two journeys of a line of memory from core
 * to core, and more for what is to be done. Where loops follow one another both threads know what comes next. So each does its share,
 * says that it has `passed`, and waits until the other has: both lines are on their way at once.
 *
 * Nobody waits for a worker that has not come. A loop has ranges, which are taken as those of any other; who is done with his own takes the
 * other's, and a loop is passed when all were done, whoever did them. A worker that comes late finds them taken, loop after loop, until it
 * has caught up. The caller waits at the end until a worker that came has left, because code and memory are the caller's.
 *
 * Loops of a pair count on from its own number, so what was taken of an earlier one is never free. In the first word a pair has 0 shares,
 * the number of bases in place of `more`, and the least grains of a loop that is shared out in place of `each`.
 */
#ifndef INGOT_POOL_TEAM_H
#define INGOT_POOL_TEAM_H

#include "pool_costs.h"
#include "pool_loop.h"

enum {
  PAIR_PATIENCE = 64,     /* moments that a member waits for one that came, before it looks for ranges to take: some microseconds */
  NAP_NANOSECONDS = 100000
};

/* One of two paired threads. */
typedef struct {
  ingot_pool *pool;
  int64_t least;   /* grains of a loop that is shared out */
  uint64_t first;  /* number of the pair */
  uint64_t number; /* of the last loop, or what the caller does alone */
  uint64_t alone;  /* the last of these */
  int32_t rank;    /* 0: the caller */
} member;

/* What a member hands on as its pool has the lowest bit set, which that of a pool never has. */
static int is_member(const ingot_pool *pool) { return (int)((uintptr_t)pool & 1); }

static member *member_of(ingot_pool *pool) { return (member *)((uintptr_t)pool - 1); }

static ingot_pool *handle_of(member *self) { return (ingot_pool *)((uintptr_t)self + 1); }

static void say_passed(const member *self, uint64_t twice) {
  atomic_store_explicit(&self->pool->all[self->rank].passed, twice, memory_order_release);
}

static int other_has_passed(const member *self, uint64_t number) {
  return atomic_load_explicit(&self->pool->all[1 - self->rank].passed, memory_order_acquire) >= 2 * number;
}

/* Passes a moment, and after many a longer one asleep: to whom has a lower class of scheduling nobody gives way otherwise. */
static void stand_by(waiting *wait) {
  if (!spin(wait)) {
    const struct timespec nap = {0, NAP_NANOSECONDS};
    nanosleep(&nap, NULL);
  }
}

static void wait_for_other(const member *self, uint64_t number) {
  for (waiting wait = {0, 0}; !other_has_passed(self, number);) {
    stand_by(&wait);
  }
}

/* Whether this thread is to do what the caller does alone. The worker waits for it before the next loop, if there is one. */
static int32_t begin_alone(member *self) {
  self->alone = ++self->number;
  return self->rank == 0;
}

static void end_alone(const member *self) { say_passed(self, 2 * self->number); }

/* A member's part of a loop, until all of it is done. */
static void do_as_member(member *self, ingot_body *body, void *const *args, int64_t extent, int64_t grains, int64_t length) {
  if (grains < 2 || length < self->least) {
    if (begin_alone(self)) {
      body(args, 0, extent);
      end_alone(self);
    }
    return;
  }
  ingot_pool *pool = self->pool;
  const uint64_t number = ++self->number;
  if (self->rank != 0 && self->alone != 0) {
    wait_for_other(self, self->alone);
    self->alone = 0;
  }
  const loop now = cut(number, body, args, extent, 2, grains, length);
  int32_t mine = self->rank == 0 ? do_own_share(pool, &now) : do_share(pool, &now, 1, NULL);
  say_passed(self, 2 * number);
  const int came = self->rank != 0 || atomic_load_explicit(&pool->all[1].passed, memory_order_relaxed) > 2 * self->first;
  for (int32_t i = came ? PAIR_PATIENCE : PATIENCE; i > 0 && !other_has_passed(self, number); i--) {
    relax();
  }
  if (!other_has_passed(self, number) && (self->rank == 0 || now.per_share > 1)) { /* else there is nothing but the caller's first */
    say_passed(self, 2 * number - 1); /* whoever finds a range taken by this thread sees that it is not done */
    mine += do_share(pool, &now, 1 - self->rank, NULL);
    say_passed(self, 2 * number);
  }
  if (mine < (int32_t)now.ranges) {
    wait_for_other(self, number);
  }
}

/* The worker's part of a pair that it has seen, unless the caller has ended it. */
static void join(ingot_pool *pool, const loop *pair) {
  void *bases[MOST_BASES];
  for (uint32_t i = 0; i < pair->more; i++) {
    bases[i] = atomic_load_explicit(&pool->bases[i], memory_order_relaxed);
  }
  uint64_t joined = atomic_load_explicit(&pool->all[1].joined, memory_order_relaxed);
  if (joined < 2 * pair->number && atomic_compare_exchange_strong(&pool->all[1].joined, &joined, 2 * pair->number + 1)) {
    /* So what was read is this pair's, and the caller waits. */
    member self = {pool, pair->each, pair->number, pair->number, 0, 1};
    ((ingot_team *)(void (*)(void))pair->body)(bases, handle_of(&self));
    atomic_store_explicit(&pool->all[1].left, pair->number, memory_order_release);
  }
}

/* Whether the worker came to the pair. Who has not, does not any more. */
static int has_come(const member *self) {
  return atomic_load_explicit(&self->pool->all[1].passed, memory_order_relaxed) > 2 * self->first ||
         atomic_exchange(&self->pool->all[1].joined, 2 * self->first) > 2 * self->first;
}

/* The caller's part. */
static int32_t lead(ingot_pool *pool, ingot_team *body, void *const *bases, int32_t count, int64_t least) {
  const loop pair = {++pool->number, (ingot_body *)(void (*)(void))body, NULL, least, (uint32_t)count, 1, 0, 1, 0};
  for (int32_t i = 0; i < count; i++) {
    /* They are mostly those of the pair before: the worker has their lines. */
    if (atomic_load_explicit(&pool->bases[i], memory_order_relaxed) != bases[i]) {
      atomic_store_explicit(&pool->bases[i], bases[i], memory_order_relaxed);
    }
  }
  publish(pool, &pair);
  member self = {pool, least, pair.number, pair.number, 0, 0};
  const int32_t status = body(bases, handle_of(&self));
  pool->number = self.number;
  const int came = has_come(&self);
  for (waiting wait = {0, 0}; came && atomic_load_explicit(&pool->all[1].left, memory_order_acquire) != pair.number;) {
    stand_by(&wait);
  }
  note_who_came(pool, came);
  return status;
}

#endif
