/* What the C interfaces of all models share: checks of what a caller hands in, and the tvm-ffi calling convention.
 *
 * For each model a small source is generated: a table of its tensors, the struct-based entry `<symbol>_run`, and
 * `__tvm_ffi_<name>`. Both end here. C99 with GNU
 * atomics, and POSIX.
 */
#ifndef INGOT_INTERFACE_H
#define INGOT_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define INGOT_EXPORTED __attribute__((visibility("default")))
#define INGOT_SHARED __attribute__((visibility("hidden")))
#else
#define INGOT_EXPORTED
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

/* What such a status means, in a sentence. */
INGOT_SHARED const char *ingot_interface_words(int32_t status);

/* tvm-ffi's value: a type index, padding, and 8 bytes that the index gives a meaning to. */
struct ingot_ffi_any {
  int32_t type;
  uint32_t padding;
  union {
    int64_t number;
    void *pointer;
  } value;
};

enum { INGOT_MOST_THREADS = 64 };

/* What tvm-ffi's calls keep for the next ones, whichever thread makes them. */
struct ingot_spare {
  void *workspace;                               /* reached by atomic exchange only */
  struct ingot_pool *pools[INGOT_MOST_THREADS];  /* for 1, 2, ... threads; made when first asked for */
  int32_t callers;                               /* threads that are in a call; below 1 since all of this was let go */
};

/* Checks the processor, the workspace, and some tensors that the caller gave. */
INGOT_SHARED int32_t ingot_interface_check(const struct ingot_model *model, const struct ingot_tensor *tensors, int32_t count,
                                           void *const *given, const void *workspace);

/* Checks workspace and tensors in `bases`, of which the caller filled all but the constants, and runs the model. */
INGOT_SHARED int32_t ingot_interface_run(const struct ingot_model *model, void **bases);

/* A call by tvm-ffi's convention: the inputs, then the outputs, as tensors in memory that the processor reaches, then, if the caller
 * likes, the number of threads. `bases` has room for all base pointers. 0 is good; otherwise -1, and the error is raised with
 * tvm-ffi. */
INGOT_SHARED int ingot_interface_call(const struct ingot_model *model, struct ingot_spare *spare, void **bases,
                                      const struct ingot_ffi_any *args, int32_t count);

/* Raises an error with tvm-ffi: the model cannot be called this way, because of `why`. */
INGOT_SHARED int ingot_interface_refuse(const char *name, const char *why);

/* Frees the workspace and ends the threads that are kept, unless a thread is in a call: then the process is ending, and takes all. */
INGOT_SHARED void ingot_interface_release(struct ingot_spare *spare);

/* At the first call, maps what every inference reads of the constants into memory: page by page, as kernels come upon them, it takes
 * twice as long. Stops where the system does not know how, or had to wait for the disk: from there on it prefetches pages while the
 * model computes. */
INGOT_SHARED void ingot_interface_populate(const struct ingot_model *model, struct ingot_pool *pool);

/* The last of some models, of which the first is the lowest level, whose features the processor has; the first one if it has those
 * of none. `chosen` keeps the answer: 0, or its number from 1 on. */
INGOT_SHARED const struct ingot_model *ingot_fitting_model(const struct ingot_model *models, int32_t count, int32_t *chosen);

/* The name of the first feature that the processor lacks, or NULL. A good answer is noted in `checked` and not asked for again. */
INGOT_SHARED const char *ingot_lacking_feature(const struct ingot_feature *features, int32_t *checked);

#endif
