/* See shapes.h. */
#include "shapes.h"

static void copy_bytes(char *to, const char *from, int64_t bytes) {
#if defined(__GNUC__)
  __builtin_memcpy(to, from, (size_t)bytes);
#else
  for (int64_t i = 0; i < bytes; i++) {
    to[i] = from[i];
  }
#endif
}

/* ---- which programs answer ---- */

/* The number of a size among some that rise; -1 if it is none of them. */
static int32_t number_of(const int64_t *sizes, int32_t count, int64_t size) {
  for (int32_t i = 0; i < count; i++) {
    if (sizes[i] == size) {
      return i;
    }
  }
  return -1;
}

/* The number of the size whose program answers the whole of an extent; -1 if there is none. */
static int32_t number_for(const struct ingot_dim *dim, int64_t extent) {
  if (!dim->has_room) {
    return number_of(dim->sizes, dim->size_count, extent);
  }
  for (int32_t i = 0; i < dim->size_count; i++) {
    if (dim->sizes[i] >= extent) {
      return i;
    }
  }
  return -1;
}

static int32_t check_dim(const struct ingot_dim *dim, int64_t size) {
  if (size < dim->low || size > dim->high) {
    return INGOT_DIM_RANGE;
  }
  if (dim->list != NULL) {
    return number_of(dim->list, dim->list_count, size) < 0 ? INGOT_DIM_SIZE : INGOT_GOOD;
  }
  return size % dim->multiple_of != 0 ? INGOT_DIM_MULTIPLE : INGOT_GOOD;
}

/* What programs for as many items as possible take for `left` of them, one after another. */
static double cycles_of_split(const struct ingot_dim *dim, int64_t left) {
  double total = 0;
  for (int32_t i = dim->size_count - 1; i >= 0; i--) {
    total += (double)(left / dim->sizes[i]) * (double)dim->cycles[i];
    left %= dim->sizes[i];
  }
  return left > 0 ? total + (double)dim->cycles[0] : total;
}

/* The items from `begin` on that the next program computes: as many as it can. Of the last ones, a program computes more than
 * there are if that should take no longer. */
static struct ingot_part part_from(const struct ingot_dim *dim, int64_t extent, int64_t begin) {
  const int64_t left = extent - begin;
  struct ingot_part part = {begin, 0, 0};
  int32_t above = 0;
  while (above < dim->size_count && dim->sizes[above] <= left) {
    part.number = above++;
  }
  if (above > 0 && above < dim->size_count && (double)dim->cycles[above] <= cycles_of_split(dim, left)) {
    part.number = above;
  }
  part.count = left < dim->sizes[part.number] ? left : dim->sizes[part.number];
  return part;
}

/* The whole of all extents, if there is a program for them. */
static int is_whole(const struct ingot_shapes *shapes, const int64_t *dims, struct ingot_part *parts) {
  for (int32_t i = 0; i < shapes->dim_count; i++) {
    const struct ingot_dim *dim = &shapes->dims[i];
    const struct ingot_part part = {0, dims[i], number_for(dim, dims[i])};
    if (part.number < 0) {
      return 0;
    }
    parts[i] = part;
  }
  return 1;
}

static struct ingot_part first_part(const struct ingot_dim *dim, int64_t extent) {
  const struct ingot_part whole = {0, extent, number_for(dim, extent)};
  return dim->has_items ? part_from(dim, extent, 0) : whole;
}

/* Goes on to the next parts, those of the last extent fastest; 0 if there are none. */
static int advance(const struct ingot_shapes *shapes, const int64_t *dims, struct ingot_part *parts) {
  for (int32_t i = shapes->dim_count - 1; i >= 0; i--) {
    const int64_t begin = parts[i].begin + parts[i].count;
    if (shapes->dims[i].has_items && begin < dims[i]) {
      parts[i] = part_from(&shapes->dims[i], dims[i], begin);
      return 1;
    }
    parts[i] = first_part(&shapes->dims[i], dims[i]);
  }
  return 0;
}

static const struct ingot_model *model_of(const struct ingot_program *program) {
  return program->level_count > 1 ? ingot_fitting_model(program->levels, program->level_count, program->chosen) : program->levels;
}

static const struct ingot_program *program_of(const struct ingot_shapes *shapes, const struct ingot_part *parts) {
  int32_t number = 0;
  for (int32_t i = 0; i < shapes->dim_count; i++) {
    number = number * shapes->dims[i].size_count + parts[i].number;
  }
  return &shapes->programs[number];
}

/* ---- where its tensors are ---- */

/* The number of a program's tensor that callers have as the `number`-th: of the inputs, the sizes of the call are theirs not. */
static int32_t number_in_program(const struct ingot_shapes *shapes, const struct ingot_model *model, int32_t number) {
  return number < model->inputs - shapes->takes_sizes ? number : number + shapes->takes_sizes;
}

/* A tensor of a program, as a block of the caller's tensor. */
struct block {
  const struct ingot_tensor *tensor;
  const struct ingot_axis *axes;
  const struct ingot_dim *dims;
  const int64_t *sizes; /* of each dim, those of the call */
  const struct ingot_part *parts;
};

static struct block block_of(const struct ingot_shapes *shapes, const struct ingot_model *model, int32_t number, const int64_t *dims,
                             const struct ingot_part *parts) {
  const struct ingot_tensor *tensor = &model->tensors[number_in_program(shapes, model, number)];
  const struct block block = {tensor, shapes->axes[number], shapes->dims, dims, parts};
  return block;
}

/* How many places an axis has for a size of its extent, in a call with these sizes. */
static int64_t places_for(const struct ingot_axis *axis, int64_t size, const int64_t *sizes) {
  const int64_t places = (size * axis->times + axis->plus) / axis->over;
  return (places < 0 ? 0 : places) + (axis->also < 0 ? 0 : sizes[axis->also]);
}

/* Along an axis: the caller's extent, and where in it the block is. `wanted` is how many places the program wants of an input: of
 * items it computes more than there are. What does not vary is all there. */
struct span {
  int64_t extent;
  int64_t begin;
  int64_t count;
  int64_t wanted;
};

static struct span span_of(const struct block *block, int32_t number) {
  const struct ingot_axis *axis = &block->axes[number];
  const int64_t own = block->tensor->shape[number];
  struct span span = {own, 0, own, own};
  if (axis->dim >= 0) {
    const struct ingot_part *part = &block->parts[axis->dim];
    span.extent = places_for(axis, block->sizes[axis->dim], block->sizes);
    span.begin = part->begin * axis->times; /* 0 but for items */
    span.count = places_for(axis, part->count, block->sizes);
    span.wanted = block->dims[axis->dim].has_room ? span.count : own;
  }
  return span;
}

/* Whether there is nothing of a tensor. */
static int is_empty(const struct block *block) {
  for (int32_t axis = 0; axis < block->tensor->rank; axis++) {
    if (span_of(block, axis).extent == 0) {
      return 1;
    }
  }
  return 0;
}

/* The last axis of which the block is not all that there is; -1 if it is the whole tensor, or nothing. */
static int32_t last_cut(const struct block *block) {
  for (int32_t axis = block->tensor->rank - 1; axis >= 0 && block->tensor->bytes > 0; axis--) {
    const struct span span = span_of(block, axis);
    if (span.count != span.extent || span.count != block->tensor->shape[axis]) {
      return axis;
    }
  }
  return -1;
}

/* Bytes of all that is behind an axis, which a program and its caller have alike. */
static int64_t bytes_behind(const struct ingot_tensor *tensor, int32_t axis) {
  int64_t elements = 1;
  for (int32_t i = 0; i <= axis; i++) {
    elements *= tensor->shape[i];
  }
  return tensor->bytes / elements;
}

/* Places of all axes before the cut, one behind the other in a program's tensor or in the caller's. */
struct run {
  int64_t own;
  int64_t given;
};

/* How many runs are copied: into an input as many as the program wants, out of an output as many as there are. */
static int64_t runs_of(const struct block *block, int32_t cut, int is_input) {
  int64_t runs = span_of(block, cut).count > 0;
  for (int32_t axis = 0; axis < cut; axis++) {
    const struct span span = span_of(block, axis);
    runs *= is_input ? span.wanted : span.count;
  }
  return runs;
}

/* Where the `number`-th of these runs begins, in bytes. For an item that there is not, it is that of the last one. */
static struct run run_at(const struct block *block, int32_t cut, int64_t number, int64_t step, int is_input) {
  const struct span last = span_of(block, cut);
  struct run run = {0, last.begin * step};
  int64_t own_step = step * block->tensor->shape[cut], given_step = step * last.extent;
  for (int32_t axis = cut - 1; axis >= 0; axis--) {
    const struct span span = span_of(block, axis);
    const int64_t copied = is_input ? span.wanted : span.count, place = number % copied;
    number /= copied;
    run.own += place * own_step;
    run.given += (span.begin + (place < span.count ? place : span.count - 1)) * given_step;
    own_step *= block->tensor->shape[axis];
    given_step *= span.extent;
  }
  return run;
}

/* Whether the block is a piece of the caller's memory, as the program wants it. */
static int is_piece(const struct block *block, int32_t cut) {
  for (int32_t axis = 0; axis < cut; axis++) {
    if (block->tensor->shape[axis] != 1 || span_of(block, axis).count != 1) {
      return 0;
    }
  }
  return cut < 0 || span_of(block, cut).count == block->tensor->shape[cut];
}

/* Copies a block of an input; the last item stands for those that there are not, and zeros where there is none. */
static void copy_in(const struct block *block, int32_t cut, char *to, const char *from) {
  const int64_t step = bytes_behind(block->tensor, cut), runs = is_empty(block) ? 0 : runs_of(block, cut, 1);
  const struct span span = span_of(block, cut);
  if (runs == 0) {
    __builtin_memset(to, 0, (size_t)block->tensor->bytes);
  }
  for (int64_t number = 0; number < runs; number++) {
    const struct run run = run_at(block, cut, number, step, 1);
    copy_bytes(to + run.own, from + run.given, span.count * step);
    for (int64_t place = span.count; place < span.wanted; place++) {
      copy_bytes(to + run.own + place * step, from + run.given + (span.count - 1) * step, step);
    }
  }
}

/* Copies what there is of a block of an output. */
static void copy_out(const struct block *block, int32_t cut, char *to, const char *from) {
  const int64_t step = bytes_behind(block->tensor, cut), runs = runs_of(block, cut, 0);
  const int64_t bytes = span_of(block, cut).count * step;
  for (int64_t number = 0; number < runs; number++) {
    const struct run run = run_at(block, cut, number, step, 0);
    copy_bytes(to + run.given, from + run.own, bytes);
  }
}

static size_t staged_bytes(const struct ingot_tensor *tensor) {
  return ((size_t)tensor->bytes + INGOT_STAGING_ALIGNMENT - 1) / INGOT_STAGING_ALIGNMENT * INGOT_STAGING_ALIGNMENT;
}

/* ---- the struct-based entry ---- */

/* One program, for one part of each extent. */
static int32_t run_part(const struct ingot_shapes *shapes, const int64_t *dims, void *const *bases, const struct ingot_room *room) {
  const struct ingot_program *program = program_of(shapes, room->parts);
  const struct ingot_model *model = model_of(program);
  const int32_t inputs = model->inputs - shapes->takes_sizes, tensors = inputs + model->outputs;
  char *staging = bases[1] == NULL ? NULL : (char *)bases[1] + program->staging;
  room->bases[1] = bases[1];
  room->bases[2] = bases[2];
  for (int32_t i = 0; i < tensors; i++) {
    const struct block block = block_of(shapes, model, i, dims, room->parts);
    const int32_t cut = last_cut(&block);
    char *given = bases[INGOT_FIRST_TENSOR + i];
    void **own = &room->bases[INGOT_FIRST_TENSOR + number_in_program(shapes, model, i)];
    if (is_piece(&block, cut)) {
      const int64_t offset = cut < 0 ? 0 : run_at(&block, cut, 0, bytes_behind(block.tensor, cut), 0).given;
      *own = offset == 0 ? given : given + offset;
      continue;
    }
    if (i < inputs) {
      copy_in(&block, cut, staging, given);
    }
    *own = staging;
    staging += staged_bytes(block.tensor);
  }
  for (int32_t i = 0; shapes->takes_sizes && i < shapes->dim_count; i++) {
    room->sizes[i] = room->parts[i].count;
    room->bases[INGOT_FIRST_TENSOR + inputs] = room->sizes;
  }
  const int32_t status = ingot_interface_run(model, room->bases);
  for (int32_t i = inputs; status == INGOT_GOOD && i < tensors; i++) {
    const struct block block = block_of(shapes, model, i, dims, room->parts);
    const int32_t cut = last_cut(&block);
    if (!is_piece(&block, cut)) {
      copy_out(&block, cut, bases[INGOT_FIRST_TENSOR + i], room->bases[INGOT_FIRST_TENSOR + number_in_program(shapes, model, i)]);
    }
  }
  return status;
}

/* Checks the processor, the workspace and the caller's tensors, as large as their extents make them. */
static int32_t check_given(const struct ingot_shapes *shapes, const int64_t *dims, void *const *bases, const struct ingot_room *room) {
  const struct ingot_model *model = model_of(program_of(shapes, room->parts));
  struct ingot_model whole = *model;
  whole.workspace_bytes = shapes->workspace_bytes;
  whole.workspace_alignment = shapes->workspace_alignment;
  int32_t status = INGOT_GOOD;
  for (int32_t i = 0; status == INGOT_GOOD && i < model->inputs + model->outputs - shapes->takes_sizes; i++) {
    const struct block block = block_of(shapes, model, i, dims, room->parts);
    struct ingot_tensor tensor = *block.tensor;
    tensor.bytes = is_empty(&block) ? 0 : tensor.bytes;
    status = ingot_interface_check(&whole, &tensor, 1, &bases[INGOT_FIRST_TENSOR + i], bases[1]);
  }
  return status;
}

/* Whether every output has items of an extent, so that it is empty where there are none. */
static int is_in_every_output(const struct ingot_shapes *shapes, const struct ingot_model *model, int32_t dim) {
  const int32_t inputs = model->inputs - shapes->takes_sizes;
  for (int32_t i = inputs; i < inputs + model->outputs; i++) {
    const int32_t rank = model->tensors[number_in_program(shapes, model, i)].rank;
    int32_t axis = 0;
    while (axis < rank && shapes->axes[i][axis].dim != dim) {
      axis++;
    }
    if (axis == rank) {
      return 0;
    }
  }
  return 1;
}

int32_t ingot_shapes_run(const struct ingot_shapes *shapes, const int64_t *dims, void *const *bases, const struct ingot_room *room) {
  if (dims == NULL) {
    return INGOT_NULL_DIMS;
  }
  for (int32_t i = 0; i < shapes->dim_count; i++) {
    const int32_t status = check_dim(&shapes->dims[i], dims[i]);
    if (status != INGOT_GOOD) {
      return status;
    }
  }
  for (int32_t i = 0; i < shapes->dim_count; i++) {
    if (shapes->dims[i].has_items && dims[i] == 0 && is_in_every_output(shapes, model_of(shapes->programs), i)) {
      return INGOT_GOOD;
    }
  }
  if (!is_whole(shapes, dims, room->parts)) {
    for (int32_t i = 0; i < shapes->dim_count; i++) {
      room->parts[i] = first_part(&shapes->dims[i], dims[i]);
    }
  }
  int32_t status = check_given(shapes, dims, bases, room);
  while (status == INGOT_GOOD) {
    status = run_part(shapes, dims, bases, room);
    if (!advance(shapes, dims, room->parts)) {
      break;
    }
  }
  return status;
}
