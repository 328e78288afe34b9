/* Calls by tvm-ffi's convention of models whose extents vary. */
#ifndef INGOT_SHAPES_FFI_H
#define INGOT_SHAPES_FFI_H

#include "interface.h"
#include "shapes.h"

/* Memory for one call of tvm-ffi. */
struct ingot_ffi_room {
  int64_t *dims;                /* one for each extent that varies */
  struct ingot_tensor *tensors; /* one for each input and output */
  int64_t *extents;             /* one for each axis of each of these */
  void **bases;                 /* as for a program; behind them one more, for `dims` */
};

/* A call by tvm-ffi's convention, as `ingot_interface_call`, with inputs of any size. `run` finds `dims` behind the tensors in
 * `bases`. */
INGOT_SHARED int ingot_shapes_call(const struct ingot_shapes *shapes, struct ingot_spare *spare, int32_t (*run)(void *const *bases),
                                   const struct ingot_ffi_room *room, const struct ingot_ffi_any *args, int32_t count);

#endif
