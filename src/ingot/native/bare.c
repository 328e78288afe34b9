/* What model.h declares, for a program without a system: no processor is asked, and one thread computes. */
#include "checks.h"

int32_t ingot_interface_check(const struct ingot_model *model, const struct ingot_tensor *tensors, int32_t count,
                              void *const *given, const void *workspace) {
  return check_memory(model, tensors, count, given, workspace);
}

int32_t ingot_interface_run(const struct ingot_model *model, void **bases) {
  const int32_t count = model->inputs + model->outputs;
  const int32_t status = ingot_interface_check(model, model->tensors, count, bases + INGOT_FIRST_TENSOR, bases[1]);
  if (status != INGOT_GOOD) {
    return status;
  }
  bases[0] = model->constants;
  return model->run(bases) == 0 ? INGOT_GOOD : INGOT_KERNEL_FAILED;
}

const struct ingot_model *ingot_fitting_model(const struct ingot_model *models, int32_t count, int32_t *chosen) {
  (void)count;
  (void)chosen;
  return models;
}
