/* Text at the ends of a model: the steps that its C interface does before and after the kernels.
 *
 * For each model with text a source is generated, which calls these functions with tables of its own. C99; nothing is called but
 * memcpy, nothing is allocated, and nothing is kept: text that is given back points into the model's constants, or where the
 * caller's text is. Values are dense and row-major; of text they are arrays of pointers to UTF-8 that ends with NUL.
 */
#ifndef INGOT_TEXT_H
#define INGOT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(INGOT_OF_TEXT)
/* A source that has all of this in it says that it is its own. */
#elif defined(__GNUC__)
#define INGOT_OF_TEXT __attribute__((visibility("hidden")))
#else
#define INGOT_OF_TEXT
#endif

/* Statuses of a model with text, beside those of all models. Their meaning for callers is in its header. */
enum { INGOT_NULL_TEXT = -8, INGOT_INDEX_RANGE = -9 };

/* How memory for text is counted, whatever a pointer has. */
enum { INGOT_POINTER_BYTES = 8 };
typedef char ingot_pointers_fit[sizeof(char *) <= INGOT_POINTER_BYTES ? 1 : -1];

/* What is looked up: keys in ascending order, and a value for each, behind which is the value of what is no key. Text is a place in
 * `texts`; keys that are numbers are their bits, of which a real number has one pattern for both zeros, and one for all NaN. */
struct ingot_text_table {
  const char *texts;       /* every text of the model's tables, one behind the other */
  const uint32_t *words;   /* keys that are text, or NULL */
  const uint64_t *numbers; /* keys that are numbers, or NULL */
  const void *values;      /* uint32_t places of text, or numbers */
  uint32_t count;
  uint8_t key_bytes; /* of a number that is looked up; 0: text */
  uint8_t is_real;   /* whether that number has a sign, an exponent and a fraction */
  uint8_t value_bytes; /* of a number that is found; 0: text */
};

/* A status: whether each of the texts is there. */
INGOT_OF_TEXT int32_t ingot_text_check(const void *given, int64_t count);

/* Looks up each of `count` elements. */
INGOT_OF_TEXT void ingot_text_find(const struct ingot_text_table *table, const void *given, int64_t count, void *made);

/* Copies elements of some bytes from one order to another. `plan` is the extent of each axis, then how many elements the next index
 * of each axis is away from the last in `given`, then the same in `made`. */
INGOT_OF_TEXT void ingot_text_move(const int64_t *plan, int32_t rank, const void *given, void *made, size_t bytes);

/* For each of `outer` groups of `extent` parts of some bytes, the parts of some numbers, int32_t or int64_t by `index_bytes`, from
 * the end where they are negative. A status. */
INGOT_OF_TEXT int32_t ingot_text_take(const void *given, const void *indices, int32_t index_bytes, int64_t count, int64_t outer,
                                      int64_t extent, size_t bytes, void *made);

/* Whether texts are equal, 1 or 0 for each pair. */
INGOT_OF_TEXT void ingot_text_equal(const void *one, const void *other, int64_t count, void *made);

/* Elements of `one` where the condition is not 0, else of `other`. */
INGOT_OF_TEXT void ingot_text_choose(const void *condition, const void *one, const void *other, int64_t count, size_t bytes,
                                     void *made);

#endif
