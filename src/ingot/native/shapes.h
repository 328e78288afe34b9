/* Models whose extents vary from call to call: several programs, each for definite sizes, answer as one model.
 *
 * A program with room for an extent serves smaller sizes of it too. Its tensors are as large as its own size wants them; of a call,
 * what lies behind the last place is arbitrary, and nobody reads it.
 *
 * The source that is generated for such a model has tables of its extents and programs; its entry for C ends here, that for tvm-ffi
 * in shapes_ffi.c.
 */
#ifndef INGOT_SHAPES_H
#define INGOT_SHAPES_H

#include "model.h"

/* More statuses, behind those of model.h and text.h. */
enum { INGOT_NULL_DIMS = -10, INGOT_DIM_RANGE = -11, INGOT_DIM_MULTIPLE = -12, INGOT_DIM_SIZE = -13 };

/* An axis of an input, by its number. */
struct ingot_place {
  int32_t tensor;
  int32_t axis;
};

/* An extent that varies. */
struct ingot_dim {
  const char *name;
  const char *words; /* its sizes, as messages show them */
  int64_t low;
  int64_t high;
  int64_t multiple_of;
  const int64_t *list; /* its only sizes, rising; NULL if it has all of the range */
  int32_t list_count;
  int32_t has_items;      /* what it counts is computed by itself: programs for fewer may answer one after another */
  int32_t has_room;       /* the least program that is not smaller answers */
  const int64_t *sizes;   /* those that programs are for, rising */
  const int64_t *cycles;  /* about what a program for each of them takes */
  int32_t size_count;
  int32_t place_count;
  const struct ingot_place *places; /* in inputs; at least one */
};

/* An axis of a tensor: the extent that has items along it, or whose programs have room along it; or -1. For a size there are
 * `(size * times + plus) / over` places, never fewer than 0; along items `times` for each. Behind these are as many as the size of
 * another extent, `also`, if that is not -1. */
struct ingot_axis {
  int32_t dim;
  int64_t times;
  int64_t plus;
  int64_t over;
  int32_t also;
};

/* A program, for one combination of sizes. */
struct ingot_program {
  const struct ingot_model *levels; /* for better and better processors */
  int32_t level_count;
  int32_t *chosen;
  size_t staging; /* where in the workspace it finds tensors that are no piece of the caller's memory */
};

/* A model. Programs are in the order of sizes, those of the last extent fastest. */
struct ingot_shapes {
  const struct ingot_dim *dims;
  const struct ingot_program *programs;
  const struct ingot_axis *const *axes; /* of each input of callers, then of each output */
  const char *const *types;             /* of each input of callers, as messages show them */
  int32_t takes_sizes;                  /* 1: programs have one more input behind those, the sizes of the call; else 0 */
  int32_t dim_count;
  int32_t program_count;
  size_t workspace_bytes;
  size_t workspace_alignment;
};

/* What one program computes of an extent: `count` from `begin` on. `number` is that of the size that it is for. */
struct ingot_part {
  int64_t begin;
  int64_t count;
  int32_t number;
};

/* Memory for one call, of which nobody knows how many tensors and extents there are but the generated source. */
struct ingot_room {
  struct ingot_part *parts; /* one for each extent that varies */
  int64_t *sizes;           /* one for each of these, if programs take them */
  void **bases;             /* for one program */
};

enum { INGOT_STAGING_ALIGNMENT = 64 };

/* Answers inputs of any size. `dims` has the size of each extent that varies; `bases` the caller's pointers as for a program. */
INGOT_SHARED int32_t ingot_shapes_run(const struct ingot_shapes *shapes, const int64_t *dims, void *const *bases,
                                      const struct ingot_room *room);

#endif
