/* The state of a stream, in a block of the caller's memory: a header, two halves, and behind them what fills in place. A step reads
 * one half and writes the other, and if it is good the two change roles. There are no pointers in a block.
 *
 * For each model with state a source is generated that has these functions in it. C99; nothing is called but memset.
 */
#ifndef INGOT_STATE_H
#define INGOT_STATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* More statuses, behind those of model.h, text.h and shapes.h. */
enum { INGOT_NULL_STATE = -14, INGOT_UNALIGNED_STATE = -15, INGOT_OTHER_STATE = -16, INGOT_FULL_STATE = -17 };

/* Bytes before the first half; what a block is aligned to. */
enum { INGOT_STATE_HEADER = 64, INGOT_STATE_ALIGNMENT = 64, INGOT_STATE_FILLED = 7 };

/* What a block begins with. */
struct ingot_state {
  uint32_t mark;    /* of blocks for the same states the same, and never 0 */
  uint32_t current; /* which half the next step reads: 0 or 1 */
  int64_t filled[INGOT_STATE_FILLED]; /* of states that grow, how many places are filled: for each extent that says so */
};
typedef char ingot_state_fits[sizeof(struct ingot_state) <= INGOT_STATE_HEADER ? 1 : -1];

/* A status: whether there is memory for a block. */
static inline int32_t ingot_state_memory(const void *state) {
  if (state == NULL) {
    return INGOT_NULL_STATE;
  }
  return (uintptr_t)state % INGOT_STATE_ALIGNMENT == 0 ? 0 : INGOT_UNALIGNED_STATE;
}

/* A status: whether it is a block for these states, which somebody began. */
static inline int32_t ingot_state_check(const void *state, uint32_t mark) {
  const struct ingot_state *const block = state;
  const int32_t status = ingot_state_memory(state);
  if (status != 0) {
    return status;
  }
  return block->mark == mark && block->current <= 1 ? 0 : INGOT_OTHER_STATE;
}

/* Begins a stream: every state is zeros. Gives a status. */
static inline int32_t ingot_state_begin(void *state, size_t bytes, uint32_t mark) {
  struct ingot_state *const block = state;
  const int32_t status = ingot_state_memory(state);
  if (status == 0) {
    memset(state, 0, bytes);
    block->mark = mark;
  }
  return status;
}

/* Where states are whose offset is for the first half: in the half that the next step reads, or with `is_next` in the other. */
static inline char *ingot_state_half(void *state, size_t half_bytes, uint32_t is_next) {
  const struct ingot_state *const block = state;
  return (char *)state + (block->current ^ is_next) * half_bytes;
}

/* A status: whether there is room for `more` places behind those that are filled, of `capacity`. */
static inline int32_t ingot_state_room(const void *state, int32_t number, int64_t more, int64_t capacity) {
  const int64_t filled = ((const struct ingot_state *)state)->filled[number];
  if (filled < 0 || filled > capacity) {
    return INGOT_OTHER_STATE;
  }
  return filled <= capacity - more ? 0 : INGOT_FULL_STATE;
}

/* Notes what a step that gave `status` filled. */
static inline void ingot_state_grow(void *state, int32_t number, int64_t more, int32_t status) {
  if (status == 0) {
    ((struct ingot_state *)state)->filled[number] += more;
  }
}

/* Ends a step, which gave `status`: what it wrote is the state if it is good, and else nothing happened. */
static inline int32_t ingot_state_end(void *state, int32_t status) {
  struct ingot_state *const block = state;
  if (status == 0) {
    block->current ^= 1;
  }
  return status;
}

#endif
