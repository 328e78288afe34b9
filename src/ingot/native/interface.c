/* See interface.h. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "interface.h"

#include "checks.h"
#include "ffi.h"
#include "shapes.h"
#include "state.h"
#include "text.h"

#include <stdlib.h>

/* ---- the struct-based entry ---- */

int32_t ingot_interface_check(const struct ingot_model *model, const struct ingot_tensor *tensors, int32_t count,
                              void *const *given, const void *workspace) {
  if (ingot_lacking_feature(model->features, model->checked) != NULL) {
    return INGOT_OTHER_PROCESSOR;
  }
  return check_memory(model, tensors, count, given, workspace);
}

int32_t ingot_interface_run(const struct ingot_model *model, void **bases) {
  const int32_t count = model->inputs + model->outputs;
  const int32_t status = ingot_interface_check(model, model->tensors, count, bases + INGOT_FIRST_TENSOR, bases[1]);
  if (status != INGOT_GOOD) {
    return status;
  }
  bases[0] = model->constants;
  ingot_interface_populate(model, bases[2]);
  return model->run(bases) == 0 ? INGOT_GOOD : INGOT_KERNEL_FAILED;
}

const char *ingot_interface_words(int32_t status) {
  switch (status) {
    case INGOT_GOOD:
      return "all is well";
    case INGOT_NULL_STRUCT:
      return "the struct of inputs or of outputs is NULL";
    case INGOT_NULL_TENSOR:
      return "an input or output is NULL";
    case INGOT_UNALIGNED_TENSOR:
      return "an input or output is not aligned to its element type";
    case INGOT_NULL_WORKSPACE:
      return "the workspace is NULL";
    case INGOT_UNALIGNED_WORKSPACE:
      return "the workspace is not aligned as the header says";
    case INGOT_KERNEL_FAILED:
      return "a kernel failed";
    case INGOT_OTHER_PROCESSOR:
      return "this processor lacks a feature that the code uses";
    case INGOT_NULL_TEXT:
      return "an element of an input that is text is NULL";
    case INGOT_INDEX_RANGE:
      return "an index that takes elements is out of range";
    case INGOT_NULL_DIMS:
      return "the sizes of the extents that vary are NULL";
    case INGOT_DIM_RANGE:
      return "an extent that varies is below or above its range";
    case INGOT_DIM_MULTIPLE:
      return "an extent that varies is not a multiple of what it must be";
    case INGOT_DIM_SIZE:
      return "an extent that varies has none of its sizes";
    case INGOT_NULL_STATE:
      return "the state is NULL";
    case INGOT_UNALIGNED_STATE:
      return "the state is not aligned as the header says";
    case INGOT_FULL_STATE:
      return "the state has no room for what this step adds";
    case INGOT_OTHER_STATE:
      return "the state was not begun, or is that of another model";
    default:
      return "no status of a model";
  }
}

/* ---- tvm-ffi ---- */

/* Of pool.h, which every library has. */
extern struct ingot_pool *ingot_pool_create(int32_t threads);
extern void ingot_pool_destroy(struct ingot_pool *pool);

static int is_dense(const struct tensor *tensor, const struct ingot_tensor *wanted) {
  int64_t step = 1;
  if (tensor->strides == NULL || wanted->bytes == 0) {
    return 1;
  }
  for (int32_t i = wanted->rank - 1; i >= 0; i--) {
    if (wanted->shape[i] != 1 && tensor->strides[i] != step) {
      return 0;
    }
    step *= wanted->shape[i];
  }
  return 1;
}

/* Checks one argument and gives the address of its first element. */
static int take(const struct ingot_model *model, const struct ingot_ffi_any *arg, int32_t number, void **data) {
  const struct ingot_tensor *wanted = &model->tensors[number];
  const struct tensor *tensor = tensor_of(model, arg, number);
  struct message message;
  if (tensor == NULL) {
    return -1;
  }
  begin(&message, model, number);
  if (tensor->code != wanted->code || tensor->bits != wanted->bits || tensor->lanes != 1) {
    put(&message, "must be of type ");
    put_dtype(&message, wanted->code, wanted->bits);
    put(&message, ", got ");
    put_dtype(&message, tensor->code, tensor->bits);
    if (tensor->lanes != 1) {
      put(&message, " with lanes");
    }
    return raise_error("TypeError", &message);
  }
  if (tensor->device_type != DEVICE_CPU) {
    put(&message, "must be in the memory of the CPU (DLPack device 1), got device ");
    put_number(&message, tensor->device_type);
    return raise_error("ValueError", &message);
  }
  int same = tensor->rank == wanted->rank;
  for (int32_t i = 0; same && i < wanted->rank; i++) {
    same = tensor->shape[i] == wanted->shape[i];
  }
  if (!same) {
    put(&message, "must have the shape ");
    put_shape(&message, wanted->shape, wanted->rank);
    put(&message, ", got ");
    put_shape(&message, tensor->shape, tensor->rank);
    return raise_error("ValueError", &message);
  }
  if (!is_dense(tensor, wanted)) {
    put(&message, "must be contiguous (row-major without gaps); pass a contiguous copy");
    return raise_error("ValueError", &message);
  }
  if (tensor->data == NULL && wanted->bytes > 0) {
    put(&message, "has no memory");
    return raise_error("ValueError", &message);
  }
  *data = tensor->data == NULL ? NULL : (char *)tensor->data + tensor->byte_offset;
  if (!is_aligned(*data, wanted->alignment)) {
    put(&message, "must be aligned to ");
    put_number(&message, wanted->alignment);
    put(&message, " bytes: the library works on the caller's memory and makes no copy; pass an aligned copy");
    return raise_error("ValueError", &message);
  }
  return 0;
}

/* An output that shares memory with another tensor would be overwritten, or overwrite, before the model is done. */
static int check_apart(const struct ingot_model *model, void *const *tensors) {
  const int32_t count = model->inputs + model->outputs;
  for (int32_t output = model->inputs; output < count; output++) {
    for (int32_t other = 0; other < output; other++) {
      const uintptr_t a = (uintptr_t)tensors[output], b = (uintptr_t)tensors[other];
      const uintptr_t a_bytes = (uintptr_t)model->tensors[output].bytes, b_bytes = (uintptr_t)model->tensors[other].bytes;
      if (a_bytes > 0 && b_bytes > 0 && a < b + b_bytes && b < a + a_bytes) {
        struct message message;
        begin(&message, model, output);
        put(&message, "shares memory with '");
        put(&message, model->tensors[other].name);
        put(&message, "'; give every output memory of its own");
        return raise_error("ValueError", &message);
      }
    }
  }
  return 0;
}

static void *exchange(struct ingot_spare *spare, void *workspace) {
  return __atomic_exchange_n(&spare->workspace, workspace, __ATOMIC_ACQ_REL);
}

/* The pool for the number of threads that the caller gave. Made once for each number, and kept. */
static int take_pool(const struct ingot_model *model, struct ingot_spare *spare, const struct ingot_ffi_any *arg,
                     struct ingot_pool **pool) {
  struct message message;
  begin(&message, model, -1);
  if (arg->type != TYPE_NUMBER || arg->value.number < 1 || arg->value.number > INGOT_MOST_THREADS) {
    put(&message, ": the number of threads behind the tensors must be a whole number from 1 to ");
    put_number(&message, INGOT_MOST_THREADS);
    if (arg->type == TYPE_NUMBER) {
      put(&message, ", got ");
      put_number(&message, arg->value.number);
    }
    return raise_error(arg->type == TYPE_NUMBER ? "ValueError" : "TypeError", &message);
  }
  const int32_t threads = (int32_t)arg->value.number;
  struct ingot_pool **place = &spare->pools[threads - 1];
  *pool = threads == 1 ? NULL : __atomic_load_n(place, __ATOMIC_ACQUIRE);
  if (threads > 1 && *pool == NULL) {
    struct ingot_pool *made = ingot_pool_create(threads);
    if (made == NULL) {
      put(&message, ": no memory for a pool of threads");
      return raise_error("MemoryError", &message);
    }
    if (__atomic_compare_exchange_n(place, pool, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
      *pool = made;
    } else {
      ingot_pool_destroy(made); /* another thread was quicker, and `pool` is its */
    }
  }
  return 0;
}

/* A call; with `is_closed` one by a thread that goes on while the process ends, and finds nothing that is kept. */
static int call(const struct ingot_model *model, struct ingot_spare *spare, void **bases, const struct ingot_ffi_any *args,
                int32_t count, int is_closed) {
  const int32_t tensors = model->inputs + model->outputs;
  struct ingot_pool *pool = NULL;
  struct message message;
  void *workspace = NULL;
  if (count != tensors && count != tensors + 1) {
    begin(&message, model, -1);
    put(&message, " takes ");
    put_number(&message, tensors);
    put(&message, " tensors (inputs: ");
    put_number(&message, model->inputs);
    put(&message, ", then outputs: ");
    put_number(&message, model->outputs);
    put(&message, ") and, if you like, a number of threads; got arguments: ");
    put_number(&message, count);
    return raise_error("TypeError", &message);
  }
  const char *lacking = ingot_lacking_feature(model->features, model->checked);
  if (lacking != NULL) {
    begin(&message, model, -1);
    put(&message, " was built for a processor with ");
    put(&message, lacking);
    put(&message, ", which this one has not");
    return raise_error("RuntimeError", &message);
  }
  for (int32_t i = 0; i < tensors; i++) {
    if (take(model, &args[i], i, &bases[INGOT_FIRST_TENSOR + i]) != 0) {
      return -1;
    }
  }
  if (check_apart(model, &bases[INGOT_FIRST_TENSOR]) != 0) {
    return -1;
  }
  if (count > tensors && !is_closed && take_pool(model, spare, &args[tensors], &pool) != 0) {
    return -1;
  }
  if (model->workspace_bytes > 0) {
    workspace = exchange(spare, NULL);
    if (workspace == NULL && posix_memalign(&workspace, model->workspace_alignment, model->workspace_bytes) != 0) {
      begin(&message, model, -1);
      put(&message, ": no memory for a workspace of ");
      put_number(&message, (int64_t)model->workspace_bytes);
      put(&message, " bytes");
      return raise_error("MemoryError", &message);
    }
  }
  bases[0] = model->constants;
  bases[1] = workspace;
  bases[2] = pool;
  ingot_interface_populate(model, pool);
  const int32_t status = model->run(bases);
  /* A thread that runs beside this one may have kept its own: one is enough. */
  free(exchange(spare, workspace));
  if (status != 0) {
    begin(&message, model, -1);
    put(&message, ": a kernel failed with status ");
    put_number(&message, status);
    return raise_error("RuntimeError", &message);
  }
  return 0;
}

int ingot_interface_call(const struct ingot_model *model, struct ingot_spare *spare, void **bases,
                         const struct ingot_ffi_any *args, int32_t count) {
  const int is_closed = __atomic_add_fetch(&spare->callers, 1, __ATOMIC_ACQ_REL) < 1;
  const int status = call(model, spare, bases, args, count, is_closed);
  __atomic_sub_fetch(&spare->callers, 1, __ATOMIC_RELEASE);
  return status;
}

int ingot_interface_refuse(const char *name, const char *why) {
  struct message message;
  message.length = 0;
  put(&message, name);
  put(&message, " has no entry for tvm-ffi: ");
  put(&message, why);
  return raise_error("RuntimeError", &message);
}

void ingot_interface_release(struct ingot_spare *spare) {
  int32_t nobody = 0;
  if (!__atomic_compare_exchange_n(&spare->callers, &nobody, INT32_MIN, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return;
  }
  free(exchange(spare, NULL));
  for (int32_t i = 0; i < INGOT_MOST_THREADS; i++) {
    ingot_pool_destroy(spare->pools[i]);
    spare->pools[i] = NULL;
  }
}
