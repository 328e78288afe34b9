/* See shapes_ffi.h. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "shapes_ffi.h"

#include "ffi.h"
#include "shapes.c"

/* `m: N is 9 in axis 0 of 'x'` */
static void put_place(struct message *message, const struct ingot_model *model, const struct ingot_place *place, int64_t extent) {
  put_number(message, extent);
  put(message, " in axis ");
  put_number(message, place->axis);
  put(message, " of '");
  put(message, model->tensors[place->tensor].name);
  put(message, "'");
}

/* The extent of a dim in the tensors that tvm-ffi gave; -1, and a ValueError, if it is none that the model has. */
static int64_t extent_of(const struct ingot_dim *dim, const struct ingot_model *model, const struct ingot_ffi_any *args) {
  int64_t extent = 0;
  struct message message;
  begin(&message, model, -1);
  put(&message, ": ");
  put(&message, dim->name);
  put(&message, " is ");
  for (int32_t i = 0; i < dim->place_count; i++) {
    const struct ingot_place *place = &dim->places[i];
    const int64_t here = tensor_of(model, &args[place->tensor], place->tensor)->shape[place->axis];
    if (i > 0 && here != extent) {
      put_place(&message, model, &dim->places[0], extent);
      put(&message, " and ");
      put_place(&message, model, place, here);
      put(&message, "; give tensors with the same");
      raise_error("ValueError", &message);
      return -1;
    }
    extent = here;
  }
  if (check_dim(dim, extent) != INGOT_GOOD) {
    put_place(&message, model, &dim->places[0], extent);
    put(&message, "; the library was built for ");
    put(&message, dim->words);
    raise_error("ValueError", &message);
    return -1;
  }
  return extent;
}

/* Checks that inputs are tensors with as many axes as the model's. */
static int check_ranks(const struct ingot_shapes *shapes, const struct ingot_model *model, const struct ingot_ffi_any *args) {
  for (int32_t i = 0; i < model->inputs - shapes->takes_sizes; i++) {
    const struct tensor *tensor = tensor_of(model, &args[i], i);
    struct message message;
    if (tensor == NULL) {
      return -1;
    }
    if (tensor->rank != model->tensors[i].rank) {
      begin(&message, model, i);
      put(&message, "must be ");
      put(&message, shapes->types[i]);
      put(&message, ", got the shape ");
      put_shape(&message, tensor->shape, tensor->rank);
      return raise_error("ValueError", &message);
    }
  }
  return 0;
}

/* The tensors of a call: those of the program that answers first, with the extents of the call. */
static void fill_tensors(const struct ingot_shapes *shapes, const struct ingot_model *model, const struct ingot_ffi_room *room) {
  int64_t *extents = room->extents;
  for (int32_t i = 0; i < model->inputs + model->outputs - shapes->takes_sizes; i++) {
    struct ingot_tensor *tensor = &room->tensors[i];
    *tensor = model->tensors[number_in_program(shapes, model, i)];
    uint64_t bytes = (uint64_t)tensor->bytes;
    for (int32_t axis = 0; axis < tensor->rank; axis++) {
      const struct ingot_axis *varying = &shapes->axes[i][axis];
      extents[axis] = tensor->shape[axis];
      if (varying->dim >= 0) {
        extents[axis] = places_for(varying, room->dims[varying->dim], room->dims);
        bytes = bytes / (uint64_t)tensor->shape[axis] * (uint64_t)extents[axis];
      }
    }
    tensor->bytes = (int64_t)bytes;
    tensor->shape = extents;
    extents += tensor->rank;
  }
}

int ingot_shapes_call(const struct ingot_shapes *shapes, struct ingot_spare *spare, int32_t (*run)(void *const *bases),
                      const struct ingot_ffi_room *room, const struct ingot_ffi_any *args, int32_t count) {
  const struct ingot_model *model = model_of(shapes->programs);
  const int32_t tensors = model->inputs + model->outputs - shapes->takes_sizes;
  struct ingot_model whole = *model;
  whole.inputs -= shapes->takes_sizes;
  whole.run = run;
  whole.workspace_bytes = shapes->workspace_bytes;
  whole.workspace_alignment = shapes->workspace_alignment;
  if (count != tensors && count != tensors + 1) {
    return ingot_interface_call(&whole, spare, room->bases, args, count); /* which says so */
  }
  if (check_ranks(shapes, model, args) != 0) {
    return -1;
  }
  int32_t number = 0;
  for (int32_t i = 0; i < shapes->dim_count; i++) {
    const struct ingot_dim *dim = &shapes->dims[i];
    room->dims[i] = extent_of(dim, model, args);
    if (room->dims[i] < 0) {
      return -1;
    }
    number = number * dim->size_count + (dim->has_items ? 0 : number_for(dim, room->dims[i]));
  }
  fill_tensors(shapes, model_of(&shapes->programs[number]), room);
  whole.tensors = room->tensors;
  room->bases[INGOT_FIRST_TENSOR + tensors] = room->dims;
  return ingot_interface_call(&whole, spare, room->bases, args, count);
}
