/* What a model is to C: its tensors, the function that computes it, its memory; and how a call is checked and made. C99. */
#ifndef INGOT_MODEL_H
#define INGOT_MODEL_H

#include <stddef.h>
#include <stdint.h>

#if defined(INGOT_SHARED)
/* A source that has all of this in it made its functions static. */
#elif defined(__GNUC__)
#define INGOT_SHARED __attribute__((visibility("hidden")))
#else
#define INGOT_SHARED
#endif

/* An input or output. `code` and `bits` are DLPack's. Every tensor is dense and row-major. */
struct ingot_tensor {
  const char *name;
  const int64_t *shape; /* not read if `rank` is 0 */
  int64_t bytes;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t alignment; /* bytes, of the first element */
};

/* A feature of the processor, and where it says that it has it: see ingot/link/processor.py. */
struct ingot_feature {
  const char *name;
  uint32_t leaf;
  uint32_t part;
  uint32_t reg;
  uint32_t bit;
  uint32_t state;
};

struct ingot_pool;

/* A model: inputs and then outputs in `tensors`, in its own order. */
struct ingot_model {
  const char *name;
  int32_t (*run)(void *const *bases);
  const struct ingot_tensor *tensors;
  int32_t inputs;
  int32_t outputs;
  void *constants;
  size_t workspace_bytes;
  size_t workspace_alignment;
  const struct ingot_feature *features; /* behind the last one, one without a name */
  int32_t *checked;                     /* not 0: the processor has them all */
  size_t always_read_bytes;             /* of the constants, from their first on: what every inference reads */
  int32_t *populated;                   /* not 0: `ingot_interface_populate` was called */
};

/* Where the first tensor stands among the base pointers: after constants, workspace and thread pool. */
enum { INGOT_FIRST_TENSOR = 3 };

/* Status of the struct-based entry. Their meaning for callers is in each model's header. */
enum {
  INGOT_GOOD = 0,
  INGOT_NULL_STRUCT = -1,
  INGOT_NULL_TENSOR = -2,
  INGOT_UNALIGNED_TENSOR = -3,
  INGOT_NULL_WORKSPACE = -4,
  INGOT_UNALIGNED_WORKSPACE = -5,
  INGOT_KERNEL_FAILED = -6,
  INGOT_OTHER_PROCESSOR = -7
};

/* Checks the processor, the workspace, and some tensors that the caller gave. */
INGOT_SHARED int32_t ingot_interface_check(const struct ingot_model *model, const struct ingot_tensor *tensors, int32_t count,
                                           void *const *given, const void *workspace);

/* Checks workspace and tensors in `bases`, of which the caller filled all but the constants, and runs the model. */
INGOT_SHARED int32_t ingot_interface_run(const struct ingot_model *model, void **bases);

/* The last of some models, of which the first is the lowest level, whose features the processor has; the first one if it has those
 * of none. `chosen` keeps the answer: 0, or its number from 1 on. */
INGOT_SHARED const struct ingot_model *ingot_fitting_model(const struct ingot_model *models, int32_t count, int32_t *chosen);

#endif
