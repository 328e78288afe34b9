/* Parallel loops of object code, on the thread that calls the model. */
#include "crt_internal.h"

struct ingot_pool;
typedef void ingot_body(void *const *args, int64_t begin, int64_t end);
INGOT_HIDDEN void ingot_pool_for(struct ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain);

void ingot_pool_for(struct ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain) {
  (void)pool;
  (void)grain;
  if (extent > 0) {
    body(args, 0, extent);
  }
}
