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

/* Loops in a row, and what one thread does between them: a function that both threads of a pool for two run through, so that no loop
 * has to be handed over. `bases` are copied for the other thread, `count` of them. The `pool` that the function gets may be given to
 * the functions below and to ingot_pool_for, nothing else. Outside of its loops it must do the same for each thread, write no
 * memory but its own variables, and read none but those and `bases`. Returns a status. */
typedef int32_t ingot_team(void *const *bases, ingot_pool *pool);

/* Runs `body` once by the caller, and beside it, if that is quicker, by the worker, and returns the caller's status. It has
 * about so many loops, and half microseconds of work (`length`). With another number of threads the caller runs it alone with the
 * pool itself. */
INGOT_HIDDEN int32_t ingot_pool_team(ingot_pool *pool, ingot_team *body, void *const *bases, int32_t count, int32_t loops,
                                     int64_t length);

/* In such a function, before what one thread does alone: 1 if it is this one. Else the other one has done it by now. */
INGOT_HIDDEN int32_t ingot_pool_turn(ingot_pool *pool);

/* Behind it, by the thread that did it. */
INGOT_HIDDEN void ingot_pool_pass(ingot_pool *pool);

/* How many threads a pool is for; of no pool, and of paired threads, 1. */
INGOT_HIDDEN int32_t ingot_pool_threads(const ingot_pool *pool);

#endif
