/* See text.h. */
#include "text.h"

static const char *text_at(const void *texts, int64_t at) {
  return ((const char *const *)texts)[at];
}

/* The order of the texts' bytes: 0 where they are equal. */
static int compare(const char *one, const char *other) {
  while (*one != '\0' && *one == *other) {
    one++;
    other++;
  }
  return (int)(unsigned char)*one - (int)(unsigned char)*other;
}

int32_t ingot_text_check(const void *given, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    if (text_at(given, i) == NULL) {
      return INGOT_NULL_TEXT;
    }
  }
  return 0;
}

/* ---- tables ---- */

/* Through memcpy, because the caller's numbers may be of any type. */
static uint64_t number_at(const void *numbers, int64_t at, uint8_t bytes) {
  const void *place = (const char *)numbers + (size_t)at * bytes;
  uint8_t byte = 0;
  uint16_t half = 0;
  uint32_t word = 0;
  uint64_t whole = 0;
  switch (bytes) {
    case 1:
      memcpy(&byte, place, sizeof byte);
      return byte;
    case 2:
      memcpy(&half, place, sizeof half);
      return half;
    case 4:
      memcpy(&word, place, sizeof word);
      return word;
    default:
      memcpy(&whole, place, sizeof whole);
      return whole;
  }
}

/* The bits of a real number: those of 0 for -0, and of infinity and 1 for every NaN. */
static uint64_t real_bits(uint64_t bits, uint8_t bytes) {
  const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
  const uint64_t infinity = bytes == 2   ? UINT64_C(0x7c00)
                            : bytes == 4 ? UINT64_C(0x7f800000)
                                         : UINT64_C(0x7ff0000000000000);
  const uint64_t magnitude = bits & (sign - 1);
  if (magnitude > infinity) {
    return infinity + 1;
  }
  return magnitude == 0 ? 0 : bits;
}

/* Where a key is, or the number of keys, where the value of what is no key stands. */
static uint32_t place_of_word(const struct ingot_text_table *table, const char *word) {
  uint32_t first = 0;
  uint32_t end = table->count;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    const int order = compare(table->texts + table->words[middle], word);
    if (order == 0) {
      return middle;
    }
    if (order < 0) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return table->count;
}

static uint32_t place_of_number(const struct ingot_text_table *table, uint64_t number) {
  uint32_t first = 0;
  uint32_t end = table->count;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    if (table->numbers[middle] == number) {
      return middle;
    }
    if (table->numbers[middle] < number) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return table->count;
}

static uint32_t place_of(const struct ingot_text_table *table, const void *given, int64_t at) {
  if (table->key_bytes == 0) {
    return place_of_word(table, text_at(given, at));
  }
  const uint64_t number = number_at(given, at, table->key_bytes);
  return place_of_number(table, table->is_real ? real_bits(number, table->key_bytes) : number);
}

void ingot_text_find(const struct ingot_text_table *table, const void *given, int64_t count, void *made) {
  for (int64_t i = 0; i < count; i++) {
    const uint32_t place = place_of(table, given, i);
    if (table->value_bytes == 0) {
      ((const char **)made)[i] = table->texts + ((const uint32_t *)table->values)[place];
    } else {
      const size_t bytes = table->value_bytes;
      memcpy((char *)made + (size_t)i * bytes, (const char *)table->values + place * bytes, bytes);
    }
  }
}

/* ---- moving elements ---- */

static void move(const int64_t *plan, int32_t axis, int32_t rank, const char *given, char *made, size_t bytes) {
  if (axis == rank) {
    memcpy(made, given, bytes);
    return;
  }
  const ptrdiff_t from = (ptrdiff_t)plan[rank + axis] * (ptrdiff_t)bytes;
  const ptrdiff_t to = (ptrdiff_t)plan[2 * rank + axis] * (ptrdiff_t)bytes;
  for (int64_t i = 0; i < plan[axis]; i++) {
    move(plan, axis + 1, rank, given + i * from, made + i * to, bytes);
  }
}

void ingot_text_move(const int64_t *plan, int32_t rank, const void *given, void *made, size_t bytes) {
  move(plan, 0, rank, given, made, bytes);
}

int32_t ingot_text_take(const void *given, const void *indices, int32_t index_bytes, int64_t count, int64_t outer, int64_t extent,
                        size_t bytes, void *made) {
  char *to = made;
  for (int64_t group = 0; group < outer; group++) {
    for (int64_t i = 0; i < count; i++) {
      int64_t index = index_bytes == 4 ? ((const int32_t *)indices)[i] : ((const int64_t *)indices)[i];
      if (index < -extent || index >= extent) {
        return INGOT_INDEX_RANGE;
      }
      index += index < 0 ? extent : 0;
      memcpy(to, (const char *)given + (size_t)(group * extent + index) * bytes, bytes);
      to += bytes;
    }
  }
  return 0;
}

void ingot_text_equal(const void *one, const void *other, int64_t count, void *made) {
  for (int64_t i = 0; i < count; i++) {
    ((uint8_t *)made)[i] = compare(text_at(one, i), text_at(other, i)) == 0;
  }
}

void ingot_text_choose(const void *condition, const void *one, const void *other, int64_t count, size_t bytes, void *made) {
  for (int64_t i = 0; i < count; i++) {
    const void *chosen = ((const uint8_t *)condition)[i] != 0 ? one : other;
    memcpy((char *)made + (size_t)i * bytes, (const char *)chosen + (size_t)i * bytes, bytes);
  }
}
