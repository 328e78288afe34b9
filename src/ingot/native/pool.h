/* The thread pool of an ingot library. C11 and POSIX threads; nothing else.
 *
 * One pool serves any number of executors. A loop that finds the pool at work for another thread runs on its own thread alone, so
 * there are never more threads at work than callers and workers. A pool survives fork(): the child starts workers of its own.
 */
#ifndef INGOT_POOL_H
#define INGOT_POOL_H

#include <stdint.h>

#if defined(__GNUC__)
#define INGOT_EXPORT __attribute__((visibility("default")))
#define INGOT_HIDDEN __attribute__((visibility("hidden")))
#else
#define INGOT_EXPORT
#define INGOT_HIDDEN
#endif

typedef struct ingot_pool ingot_pool;

/* Iterations begin <= i < end of a parallel loop. Called from several threads at once, on disjoint ranges. */
typedef void ingot_body(void *const *args, int64_t begin, int64_t end);

/* A pool for `threads` threads, the caller's among them. Workers start when first needed. NULL: no memory, or threads < 1. */
INGOT_EXPORT ingot_pool *ingot_pool_create(int32_t threads);

/* Ends the workers. No loop may be running. NULL is fine. */
INGOT_EXPORT void ingot_pool_destroy(ingot_pool *pool);

/* Runs `body` over 0 <= i < extent, in ranges of at least `grain` iterations, and returns when all are done. The caller takes part.
 * `grain` is about half a microsecond of work, the least that is worth handing over. A negative one says that an iteration is as long
 * as so many of these; 1, that nobody knows how long it is. By that, and by what loops took, the pool judges whether
 * one is worth handing over, which may cost more or less, and waking workers that sleep. With no pool, or less than two ranges, the caller does all in one. */
INGOT_HIDDEN void ingot_pool_for(ingot_pool *pool, ingot_body *body, void *const *args, int64_t extent, int64_t grain);

/* How many threads a pool is for; of no pool 1. */
INGOT_HIDDEN int32_t ingot_pool_threads(const ingot_pool *pool);

#endif
