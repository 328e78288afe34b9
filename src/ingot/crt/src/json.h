/* Reads JSON piece by piece, without memory of its own. The first mistake stays in `error`; after it every function does nothing. */
#ifndef INGOT_CRT_JSON_H
#define INGOT_CRT_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "crt_internal.h"

/* Deepest nesting of values that are skipped. */
#define INGOT_JSON_DEPTH 16

/* Room for a key or a tag with its NUL; longer ones are cut, and so equal to none that is known. */
#define INGOT_JSON_KEY 24

struct ingot_json {
  const char *at; /* ends with NUL */
  const char *error;
};

/* Enters an object or a list: `open` is '{' or '['. */
INGOT_HIDDEN void ingot_json_enter(struct ingot_json *json, char open);

/* Whether another member follows; otherwise the object or list was left, or there was a mistake. `count` is of members so far. */
INGOT_HIDDEN int ingot_json_more(struct ingot_json *json, uint32_t *count, char close);

/* Reads a string: stores at most `room` bytes of it and gives its whole length. No NUL is stored. */
INGOT_HIDDEN size_t ingot_json_string(struct ingot_json *json, char *out, size_t room);

/* Reads a string and ends it with NUL; cut if it is too long. */
INGOT_HIDDEN void ingot_json_word(struct ingot_json *json, char word[INGOT_JSON_KEY]);

/* Reads a key with its colon. */
INGOT_HIDDEN void ingot_json_key(struct ingot_json *json, char word[INGOT_JSON_KEY]);

/* Reads a whole number from 0 to `most`. */
INGOT_HIDDEN uint64_t ingot_json_number(struct ingot_json *json, uint64_t most);

/* Reads a whole number that stands in a string. */
INGOT_HIDDEN uint64_t ingot_json_quoted_number(struct ingot_json *json, uint64_t most);

/* Passes over one value of any kind. */
INGOT_HIDDEN void ingot_json_skip(struct ingot_json *json);

#endif
