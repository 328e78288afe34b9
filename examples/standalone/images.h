/* Reads images, of which a file holds the pixels one after the other, 64 floats each. */
#ifndef IMAGES_H
#define IMAGES_H

#include <stdio.h>

#define PIXELS 64
#define DIGITS 10

/* The next image; 0 at the end of the file. */
static int next_image(FILE *file, float image[PIXELS]) {
  return fread(image, sizeof image[0], PIXELS, file) == PIXELS;
}

/* The digit with the largest probability. */
static int most_probable(const float probabilities[DIGITS]) {
  int best = 0;
  for (int digit = 1; digit < DIGITS; digit++) {
    if (probabilities[digit] > probabilities[best]) {
      best = digit;
    }
  }
  return best;
}

#endif
