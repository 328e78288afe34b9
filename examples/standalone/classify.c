/* Classifies images of digits with a model that is compiled into the program: no runtime, no heap, no other file.
 *
 *     classify IMAGES      prints a digit for each image
 */
#include "digits.h"
#include "images.h"

/* All memory that the model writes. A model keeps nothing between calls, so several could share it. */
static uint8_t workspace[DIGITS_WORKSPACE_BYTES] __attribute__((aligned(DIGITS_WORKSPACE_ALIGNMENT)));
static float image[DIGITS_INPUT_IMAGE_ELEMENTS];
static float probabilities[DIGITS_OUTPUT_PROBABILITIES_ELEMENTS];

int main(int argc, char **argv) {
  const struct digits_inputs inputs = {image};
  const struct digits_outputs outputs = {probabilities};
  FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  int32_t status = DIGITS_OK;
  if (file == NULL) {
    fprintf(stderr, "usage: %s IMAGES\n", argv[0]);
    return 2;
  }
  while (status == DIGITS_OK && next_image(file, image)) {
    status = digits_run(&inputs, &outputs, workspace);
    printf("%d\n", most_probable(probabilities));
  }
  (void)fclose(file);
  return status == DIGITS_OK ? 0 : 1;
}
