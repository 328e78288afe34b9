/* Whether the processor has what a model's code uses. See interface.h. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif

#include "interface.h"

#if defined(__x86_64__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { TILE_DATA = 18, REQUEST_PERMISSION = 0x1023 }; /* XFEATURE_XTILEDATA, ARCH_REQ_XCOMP_PERM */

/* The state of tiles belongs to a process only once it asked for it. */
static int is_given(uint32_t state) {
#if defined(__linux__)
  return !(state & (UINT32_C(1) << TILE_DATA)) || syscall(SYS_arch_prctl, (long)REQUEST_PERMISSION, (long)TILE_DATA) == 0;
#else
  return !(state & (UINT32_C(1) << TILE_DATA));
#endif
}

static uint64_t saved_state(void) {
  uint32_t low, high, a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (UINT32_C(1) << 27))) {
    return 0; /* the system does not use XSAVE */
  }
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

static int has(const struct ingot_feature *feature) {
  uint32_t found[4] = {0, 0, 0, 0};
  if (!__get_cpuid_count(feature->leaf, feature->part, &found[0], &found[1], &found[2], &found[3])) {
    return 0;
  }
  if (feature->part > 0) { /* the first part says how many there are */
    uint32_t parts, b, c, d;
    if (!__get_cpuid_count(feature->leaf, 0, &parts, &b, &c, &d) || parts < feature->part) {
      return 0;
    }
  }
  return (found[feature->reg] >> feature->bit & 1) && (feature->state == 0 || (saved_state() & feature->state) == feature->state) &&
         is_given(feature->state);
}
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

static int has(const struct ingot_feature *feature) {
  return (int)(getauxval(feature->leaf) >> feature->bit & 1);
}
#else
static int has(const struct ingot_feature *feature) {
  (void)feature;
  return 1; /* nothing is asked of other processors */
}
#endif

const char *ingot_lacking_feature(const struct ingot_feature *features, int32_t *checked) {
  if (__atomic_load_n(checked, __ATOMIC_RELAXED)) {
    return NULL;
  }
  for (; features->name != NULL; features++) {
    if (!has(features)) {
      return features->name;
    }
  }
  __atomic_store_n(checked, 1, __ATOMIC_RELAXED);
  return NULL;
}

const struct ingot_model *ingot_fitting_model(const struct ingot_model *models, int32_t count, int32_t *chosen) {
  int32_t number = __atomic_load_n(chosen, __ATOMIC_RELAXED);
  if (number == 0) {
    number = count;
    while (number > 1 && ingot_lacking_feature(models[number - 1].features, models[number - 1].checked) != NULL) {
      number--;
    }
    __atomic_store_n(chosen, number, __ATOMIC_RELAXED); /* another thread finds the same */
  }
  return &models[number - 1];
}
