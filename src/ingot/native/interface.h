/* What the C interfaces of all models share: checks of what a caller hands in, and the tvm-ffi calling convention.
 *
 * For each model a small source is generated: a table of its tensors, the struct-based entry `<symbol>_run`, and
 * `__tvm_ffi_<name>`. Both end here. C99 with GNU
 * atomics, and POSIX.
 */
#ifndef INGOT_INTERFACE_H
#define INGOT_INTERFACE_H

#include "model.h"

#if defined(__GNUC__)
#define INGOT_EXPORTED __attribute__((visibility("default")))
#else
#define INGOT_EXPORTED
#endif

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

/* The name of the first feature that the processor lacks, or NULL. A good answer is noted in `checked` and not asked for again. */
INGOT_SHARED const char *ingot_lacking_feature(const struct ingot_feature *features, int32_t *checked);

#endif
