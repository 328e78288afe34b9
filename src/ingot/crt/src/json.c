/* A pull parser for JSON. */
#include "json.h"

static void fail(struct ingot_json *json, const char *error) {
  if (json->error == NULL) {
    json->error = error;
  }
}

/* The next character that is no white space. After a mistake it is NUL, which nothing accepts. */
static char peek(struct ingot_json *json) {
  if (json->error != NULL) {
    return '\0';
  }
  while (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r') {
    json->at++;
  }
  return *json->at;
}

static int take(struct ingot_json *json, char wanted) {
  if (peek(json) != wanted || wanted == '\0') {
    return 0;
  }
  json->at++;
  return 1;
}

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

void ingot_json_enter(struct ingot_json *json, char open) {
  if (!take(json, open)) {
    fail(json, open == '{' ? "expected an object" : "expected a list");
  }
}

int ingot_json_more(struct ingot_json *json, uint32_t *count, char close) {
  if (json->error != NULL || take(json, close)) {
    return 0;
  }
  if (*count > 0 && !take(json, ',')) {
    fail(json, "expected a comma or the end of a list or object");
    return 0;
  }
  *count += 1;
  return 1;
}

/* Four hexadecimal digits. */
static uint32_t hex(struct ingot_json *json) {
  uint32_t value = 0;
  for (int i = 0; i < 4; i++) {
    const char c = *json->at;
    uint32_t digit;
    if (is_digit(c)) {
      digit = (uint32_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = (uint32_t)(c - 'a') + 10u;
    } else if (c >= 'A' && c <= 'F') {
      digit = (uint32_t)(c - 'A') + 10u;
    } else {
      fail(json, "expected four hexadecimal digits");
      return 0;
    }
    value = value * 16u + digit;
    json->at++;
  }
  return value;
}

/* The character behind a backslash. */
static uint32_t escape(struct ingot_json *json) {
  static const char names[] = "\"\\/bfnrt";
  static const char values[] = "\"\\/\b\f\n\r\t";
  const char c = *json->at;
  if (c == '\0') {
    fail(json, "a string has no end");
    return 0;
  }
  json->at++;
  if (c == 'u') {
    const uint32_t high = hex(json);
    if (high - 0xd800u >= 0x800u || json->error != NULL) {
      return high;
    }
    if (high < 0xdc00u && json->at[0] == '\\' && json->at[1] == 'u') {
      json->at += 2;
      const uint32_t low = hex(json);
      if (low - 0xdc00u < 0x400u) {
        return 0x10000u + ((high - 0xd800u) << 10) + (low - 0xdc00u);
      }
    }
    fail(json, "half of a character");
    return 0;
  }
  for (size_t i = 0; i + 1 < sizeof names; i++) {
    if (c == names[i]) {
      return (uint32_t)(unsigned char)values[i];
    }
  }
  fail(json, "an unknown escape");
  return 0;
}

/* Writes a character in UTF-8. Gives its bytes. */
static size_t encode(uint32_t character, char bytes[4]) {
  if (character < 0x80u) {
    bytes[0] = (char)character;
    return 1;
  }
  const size_t size = character < 0x800u ? 2 : character < 0x10000u ? 3 : 4;
  for (size_t i = size - 1; i > 0; i--) {
    bytes[i] = (char)(0x80u | (character & 0x3fu));
    character >>= 6;
  }
  bytes[0] = (char)((0xf00u >> size & 0xf0u) | character);
  return size;
}

size_t ingot_json_string(struct ingot_json *json, char *out, size_t room) {
  size_t length = 0;
  if (!take(json, '"')) {
    fail(json, "expected a string");
    return 0;
  }
  while (json->error == NULL) {
    char bytes[4];
    size_t size = 1;
    const char c = *json->at;
    if (c == '"') {
      json->at++;
      return length;
    }
    if ((unsigned char)c < 0x20u) {
      fail(json, c == '\0' ? "a string has no end" : "a control character in a string");
      break;
    }
    json->at++;
    if (c == '\\') {
      const uint32_t character = escape(json);
      if (character == 0) {
        fail(json, "a NUL in a string");
        break;
      }
      size = encode(character, bytes);
    } else {
      bytes[0] = c;
    }
    for (size_t i = 0; i < size; i++, length++) {
      if (length < room) {
        out[length] = bytes[i];
      }
    }
  }
  return 0;
}

void ingot_json_word(struct ingot_json *json, char word[INGOT_JSON_KEY]) {
  const size_t length = ingot_json_string(json, word, INGOT_JSON_KEY - 1);
  word[length < INGOT_JSON_KEY ? length : INGOT_JSON_KEY - 1] = '\0';
}

void ingot_json_key(struct ingot_json *json, char word[INGOT_JSON_KEY]) {
  ingot_json_word(json, word);
  if (!take(json, ':')) {
    fail(json, "expected a colon");
  }
}

static uint64_t digits(struct ingot_json *json, const char **at, uint64_t most) {
  uint64_t value = 0;
  if (!is_digit(**at) || (**at == '0' && is_digit((*at)[1]))) {
    fail(json, "expected a whole number");
    return 0;
  }
  while (is_digit(**at)) {
    const uint64_t digit = (uint64_t)(**at - '0');
    if (value > (most - digit) / 10 || digit > most) {
      fail(json, "a number is too large");
      return 0;
    }
    value = value * 10 + digit;
    *at += 1;
  }
  return value;
}

uint64_t ingot_json_number(struct ingot_json *json, uint64_t most) {
  if (peek(json) == '\0') {
    fail(json, "expected a whole number");
    return 0;
  }
  const uint64_t value = digits(json, &json->at, most);
  if (*json->at == '.' || *json->at == 'e' || *json->at == 'E') {
    fail(json, "expected a whole number");
    return 0;
  }
  return value;
}

uint64_t ingot_json_quoted_number(struct ingot_json *json, uint64_t most) {
  char word[INGOT_JSON_KEY];
  const char *at = word;
  ingot_json_word(json, word);
  if (json->error != NULL) {
    return 0;
  }
  const uint64_t value = digits(json, &at, most);
  if (*at != '\0') {
    fail(json, "expected a whole number in a string");
  }
  return value;
}

static void skip_number(struct ingot_json *json) {
  const char *begin;
  if (*json->at == '-') {
    json->at++;
  }
  begin = json->at;
  while (is_digit(*json->at)) {
    json->at++;
  }
  if (json->at == begin || (*begin == '0' && json->at - begin > 1)) {
    fail(json, "expected a value");
    return;
  }
  if (*json->at == '.') {
    begin = ++json->at;
    while (is_digit(*json->at)) {
      json->at++;
    }
    if (json->at == begin) {
      fail(json, "a number without digits behind its point");
    }
  }
  if (*json->at == 'e' || *json->at == 'E') {
    json->at++;
    if (*json->at == '+' || *json->at == '-') {
      json->at++;
    }
    begin = json->at;
    while (is_digit(*json->at)) {
      json->at++;
    }
    if (json->at == begin) {
      fail(json, "a number without digits in its exponent");
    }
  }
}

static void skip(struct ingot_json *json, unsigned depth) {
  static const char *const words[] = {"true", "false", "null"};
  uint32_t count = 0;
  const char c = peek(json);
  if (c == '"') {
    (void)ingot_json_string(json, NULL, 0);
  } else if (c == '{' || c == '[') {
    const char close = c == '{' ? '}' : ']';
    if (depth == INGOT_JSON_DEPTH) {
      fail(json, "too many lists and objects in each other");
      return;
    }
    json->at++;
    while (ingot_json_more(json, &count, close)) {
      if (c == '{') {
        char key[INGOT_JSON_KEY];
        ingot_json_key(json, key);
      }
      skip(json, depth + 1);
    }
  } else {
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
      const size_t length = strlen(words[i]);
      if (c != '\0' && strncmp(json->at, words[i], length) == 0) {
        json->at += length;
        return;
      }
    }
    if (json->error == NULL) {
      skip_number(json);
    }
  }
}

void ingot_json_skip(struct ingot_json *json) {
  skip(json, 0);
}
