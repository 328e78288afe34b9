/* Checks of the memory that a caller gives. */
#ifndef INGOT_CHECKS_H
#define INGOT_CHECKS_H

#include "model.h"

static int is_aligned(const void *pointer, size_t alignment) {
  return (uintptr_t)pointer % alignment == 0;
}

/* A status for the workspace of a model, and for some tensors. */
static int32_t check_memory(const struct ingot_model *model, const struct ingot_tensor *tensors, int32_t count, void *const *given,
                            const void *workspace) {
  if (model->workspace_bytes > 0) {
    if (workspace == NULL) {
      return INGOT_NULL_WORKSPACE;
    }
    if (!is_aligned(workspace, model->workspace_alignment)) {
      return INGOT_UNALIGNED_WORKSPACE;
    }
  }
  for (int32_t i = 0; i < count; i++) {
    if (tensors[i].bytes > 0 && given[i] == NULL) {
      return INGOT_NULL_TENSOR;
    }
    if (!is_aligned(given[i], tensors[i].alignment)) {
      return INGOT_UNALIGNED_TENSOR;
    }
  }
  return INGOT_GOOD;
}

#endif
