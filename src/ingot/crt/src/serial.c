/* Parallel loops of object code, on the thread that calls the model. */
#include "crt_internal.h"

struct ingot_pool;
typedef void ingot_body(void *const *args, int64_t begin, int64_t end);
INGOT_HIDDEN void ingot_pool_for(struct ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain);
INGOT_HIDDEN int32_t ingot_pool_threads(const struct ingot_pool *pool);
typedef int32_t ingot_team(void *const *bases, struct ingot_pool *pool);
INGOT_HIDDEN int32_t ingot_pool_team(struct ingot_pool *pool, ingot_team *body, void *const *bases, int32_t count, int32_t loops,
                                     int64_t length);
INGOT_HIDDEN int32_t ingot_pool_turn(struct ingot_pool *pool);
INGOT_HIDDEN void ingot_pool_pass(struct ingot_pool *pool);

void ingot_pool_for(struct ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  (void)pool;
  (void)grain;
  if (extent > 0) {
    body(args, 0, extent);
  }
}

int32_t ingot_pool_threads(const struct ingot_pool *pool) {
  (void)pool;
  return 1;
}

int32_t ingot_pool_team(struct ingot_pool *pool, ingot_team *body, void *const *bases, int32_t count, int32_t loops, int64_t length) {
  (void)count;
  (void)loops;
  (void)length;
  return body(bases, pool);
}

int32_t ingot_pool_turn(struct ingot_pool *pool) {
  (void)pool;
  return 1;
}

void ingot_pool_pass(struct ingot_pool *pool) {
  (void)pool;
}
