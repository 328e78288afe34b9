/* Two models in one program: the images come as negatives, one model makes them positive, the other classifies. Both use the same
 * workspace, one after the other.
 *
 *     two_models NEGATIVES      prints a digit for each image
 */
#include "digits.h"
#include "images.h"
#include "positive.h"

#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define ALIGNMENT LARGER(DIGITS_WORKSPACE_ALIGNMENT, POSITIVE_WORKSPACE_ALIGNMENT)

static uint8_t workspace[LARGER(DIGITS_WORKSPACE_BYTES, POSITIVE_WORKSPACE_BYTES)] __attribute__((aligned(ALIGNMENT)));
static float negative[POSITIVE_INPUT_NEGATIVE_ELEMENTS];
static float image[DIGITS_INPUT_IMAGE_ELEMENTS];
static float probabilities[DIGITS_OUTPUT_PROBABILITIES_ELEMENTS];

int main(int argc, char **argv) {
  const struct positive_inputs taken = {negative};
  const struct positive_outputs developed = {image};
  const struct digits_inputs inputs = {image};
  const struct digits_outputs outputs = {probabilities};
  FILE *const file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  int status = 0;
  if (file == NULL) {
    fprintf(stderr, "usage: %s NEGATIVES\n", argv[0]);
    return 2;
  }
  while (status == 0 && next_image(file, negative)) {
    if (positive_run(&taken, &developed, workspace) != POSITIVE_OK || digits_run(&inputs, &outputs, workspace) != DIGITS_OK) {
      status = 1;
    } else {
      printf("%d\n", most_probable(probabilities));
    }
  }
  (void)fclose(file);
  return status;
}
