/* What generated test programs share: tensors as data, and how results are compared. Floating-point numbers may differ by
 * `absolute` + `relative` * |expected|; NaN is expected where it is; whole numbers are equal. */
#ifndef INGOT_TEST_H
#define INGOT_TEST_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum ingot_test_type {
  INGOT_TEST_BYTES, /* whole numbers, as they lie in memory */
  INGOT_TEST_FLOAT16,
  INGOT_TEST_BFLOAT16,
  INGOT_TEST_FLOAT32,
  INGOT_TEST_FLOAT64
};

struct ingot_test_tensor {
  const char *name;
  const void *data;
  size_t count; /* of elements */
  size_t bytes; /* of one */
  enum ingot_test_type type;
};

/* The value of a float16. */
static inline double ingot_test_float16(uint16_t bits) {
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  if (exponent == 31) {
    return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
  }
  return sign * (exponent == 0 ? ldexp((double)mantissa, -24) : ldexp((double)(mantissa + 1024), exponent - 25));
}

static inline double ingot_test_value(const struct ingot_test_tensor *tensor, const void *data, size_t at) {
  const char *const element = (const char *)data + at * tensor->bytes;
  double wide;
  float narrow;
  uint32_t word;
  uint16_t half;
  switch (tensor->type) {
    case INGOT_TEST_FLOAT64:
      memcpy(&wide, element, sizeof wide);
      return wide;
    case INGOT_TEST_FLOAT32:
      memcpy(&narrow, element, sizeof narrow);
      return (double)narrow;
    case INGOT_TEST_FLOAT16:
      memcpy(&half, element, sizeof half);
      return ingot_test_float16(half);
    case INGOT_TEST_BFLOAT16:
      memcpy(&half, element, sizeof half);
      word = (uint32_t)half << 16;
      memcpy(&narrow, &word, sizeof narrow);
      return (double)narrow;
    case INGOT_TEST_BYTES:
    default:
      return 0.0;
  }
}

/* The first element that is not as expected; `expected->count` if all are. */
static inline size_t ingot_test_first_wrong(const struct ingot_test_tensor *expected, const void *got, double relative,
                                            double absolute) {
  for (size_t at = 0; at < expected->count; at++) {
    if (expected->type == INGOT_TEST_BYTES) {
      const size_t offset = at * expected->bytes;
      if (memcmp((const char *)expected->data + offset, (const char *)got + offset, expected->bytes) != 0) {
        return at;
      }
    } else {
      const double want = ingot_test_value(expected, expected->data, at);
      const double have = ingot_test_value(expected, got, at);
      const int equal = want == have || (want != want && have != have);
      if (!equal && !(fabs(have - want) <= absolute + relative * fabs(want))) {
        return at;
      }
    }
  }
  return expected->count;
}

/* Compares and tells. 0 is good. */
static inline int ingot_test_compare(const char *model, size_t vector, const struct ingot_test_tensor *expected, const void *got,
                                     double relative, double absolute) {
  const size_t at = ingot_test_first_wrong(expected, got, relative, absolute);
  if (at == expected->count) {
    return 0;
  }
  if (expected->type == INGOT_TEST_BYTES) {
    printf("%s: vector %lu: output %s: element %lu is wrong\n", model, (unsigned long)vector, expected->name, (unsigned long)at);
  } else {
    printf("%s: vector %lu: output %s: element %lu is %.9g, expected %.9g\n", model, (unsigned long)vector, expected->name,
           (unsigned long)at, ingot_test_value(expected, got, at), ingot_test_value(expected, expected->data, at));
  }
  return 1;
}

#endif
