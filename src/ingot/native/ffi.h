/* What tvm-ffi's callers hand in, and how errors are raised with it. */
#ifndef INGOT_FFI_H
#define INGOT_FFI_H

#include "interface.h"

#include <dlfcn.h>

enum {
  TYPE_NUMBER = 1,
  TYPE_TENSOR_POINTER = 7,
  TYPE_TENSOR_OBJECT = 70,
  OBJECT_HEADER_BYTES = 24,
  DEVICE_CPU = 1,
  MESSAGE_BYTES = 768
};

/* DLPack's tensor. */
struct tensor {
  void *data;
  int32_t device_type;
  int32_t device_index;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: row-major */
  uint64_t byte_offset;
};

extern void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) __attribute__((weak));

typedef void set_raised(const char *kind, const char *message);

struct message {
  size_t length;
  char text[MESSAGE_BYTES];
};

/* Adds text, as far as there is room. */
static inline void put(struct message *message, const char *text) {
  while (*text != '\0' && message->length + 1 < MESSAGE_BYTES) {
    message->text[message->length++] = *text++;
  }
  message->text[message->length] = '\0';
}

static inline void put_number(struct message *message, int64_t number) {
  char digits[24];
  size_t at = sizeof digits - 1;
  uint64_t rest = number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number;
  digits[at] = '\0';
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) {
    digits[--at] = '-';
  }
  put(message, &digits[at]);
}

static inline void put_shape(struct message *message, const int64_t *shape, int32_t rank) {
  put(message, "[");
  for (int32_t i = 0; i < rank; i++) {
    put(message, i == 0 ? "" : ", ");
    if (i == 16) {
      put(message, "...");
      break;
    }
    put_number(message, shape[i]);
  }
  put(message, "]");
}

static inline void put_dtype(struct message *message, uint8_t code, uint8_t bits) {
  static const char *const names[] = {"int", "uint", "float", "handle", "bfloat", "complex", "bool", "float8_e3m4", "float8_e4m3",
                                      "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
                                      "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"};
  const int is_named = code < sizeof names / sizeof names[0];
  if (is_named) {
    put(message, names[code]);
  } else {
    put(message, "type code ");
    put_number(message, code);
    put(message, " of ");
  }
  if (!is_named || code < 6) { /* the others say their bits themselves */
    put_number(message, bits);
  }
}

/* `digits: input 'image' `: how messages begin. */
static inline void begin(struct message *message, const struct ingot_model *model, int32_t number) {
  message->length = 0;
  put(message, model->name);
  if (number >= 0) {
    put(message, number < model->inputs ? ": input '" : ": output '");
    put(message, model->tensors[number].name);
    put(message, "' ");
  }
}

static inline int raise_error(const char *kind, const struct message *message) {
  set_raised *set = TVMFFIErrorSetRaisedFromCStr;
  if (set == NULL) {
    /* This library was opened before tvm-ffi was there. */
    void *found = dlsym(RTLD_DEFAULT, "TVMFFIErrorSetRaisedFromCStr");
    __builtin_memcpy(&set, &found, sizeof set);
  }
  if (set != NULL) {
    set(kind, message->text);
  }
  return -1;
}

/* The tensor of an argument; NULL, and a TypeError is raised, if it is none. */
static inline const struct tensor *tensor_of(const struct ingot_model *model, const struct ingot_ffi_any *arg, int32_t number) {
  struct message message;
  if (arg->value.pointer != NULL) {
    if (arg->type == TYPE_TENSOR_POINTER) {
      return arg->value.pointer;
    }
    if (arg->type == TYPE_TENSOR_OBJECT) {
      return (const void *)((const char *)arg->value.pointer + OBJECT_HEADER_BYTES);
    }
  }
  begin(&message, model, number);
  put(&message, "must be a tensor, got a value of tvm-ffi's type index ");
  put_number(&message, arg->type);
  raise_error("TypeError", &message);
  return NULL;
}

#endif
