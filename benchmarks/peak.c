/* What one core of this machine can do at most: multiply-adds a second and bytes read a second.
 *
 *     gcc -O2 -march=native -pthread -o peak benchmarks/peak.c && ./peak
 *     ./peak 2690000 2          the same 2.69 MB read over and over, by two threads half of it each
 *
 * With -mavx2 -mfma -mavxvnni in place of -march=native, what it can do with vectors of 32 bytes.
 *
 * Every figure is the best of many short runs. Kernels are written with inline assembly where a compiler would be free to leave
 * work out or to move it.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if defined(__AMX_INT8__) && defined(__AMX_BF16__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef void kernel(void *memory, int64_t steps);

/* The least time of `steps` steps, over runs that take half a second together. */
static double best(kernel *run, void *memory, int64_t steps) {
  double least = 1e30;
  run(memory, steps);
  for (double end = seconds() + 0.5; seconds() < end;) {
    double begin = seconds();
    run(memory, steps);
    double took = seconds() - begin;
    least = took < least ? took : least;
  }
  return least;
}

#if defined(__AVX512F__) ? defined(__AVX512VNNI__) : defined(__AVXVNNI__)
#define HAS_DOT 1
#endif
#if defined(__AVX512F__)
#define VECTOR "zmm"
#define ACCUMULATORS 24
enum { VECTOR_BYTES = 64 };
#define CLEAR(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
#else
#define VECTOR "ymm"
#define ACCUMULATORS 12
enum { VECTOR_BYTES = 32 };
#define CLEAR(n) "vxorps %%ymm" #n ", %%ymm" #n ", %%ymm" #n "\n\t"
#endif

/* As many independent sums as hide the latency: registers 0 to 11, and 12 to 23 where there are 32. */
#if ACCUMULATORS == 24
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) \
  X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define CLOBBERS "xmm0","xmm1","xmm2","xmm3","xmm4","xmm5","xmm6","xmm7","xmm8","xmm9","xmm10","xmm11","xmm12","xmm13", \
  "xmm14","xmm15","xmm16","xmm17","xmm18","xmm19","xmm20","xmm21","xmm22","xmm23","xmm30","xmm31"
#define FACTORS "%%zmm30", "%%zmm31"
#define REGISTER(n) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #n "\n\t"
#define FROM_L1(n) "vfmadd231ps 4*" #n "(%0)%{1to16%}, %%zmm31, %%zmm" #n "\n\t"
#define DOT(n) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #n "\n\t"
#define DOT_FROM_L1(n) "vpdpbusd 4*" #n "(%0)%{1to16%}, %%zmm31, %%zmm" #n "\n\t"
#define CLEAR_FACTORS CLEAR(30) CLEAR(31)
#else
#define EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define CLOBBERS "xmm0","xmm1","xmm2","xmm3","xmm4","xmm5","xmm6","xmm7","xmm8","xmm9","xmm10","xmm11","xmm14","xmm15"
#define REGISTER(n) "vfmadd231ps %%ymm14, %%ymm15, %%ymm" #n "\n\t"
#define FROM_L1(n) "vfmadd231ps 32*" #n "(%0), %%ymm15, %%ymm" #n "\n\t"
#define DOT(n) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" #n "\n\t"
#define DOT_FROM_L1(n) "%{vex%} vpdpbusd 32*" #n "(%0), %%ymm15, %%ymm" #n "\n\t"
#define CLEAR_FACTORS CLEAR(14) CLEAR(15)
#endif

#define LOOP(name, ONE)                                                                                              \
  static void name(void *memory, int64_t steps) {                                                                   \
    __asm__ __volatile__(EACH(CLEAR) CLEAR_FACTORS "1:\n\t" EACH(ONE) "dec %1\n\t" "jnz 1b\n\t"                     \
                         : "+r"(memory), "+r"(steps) : : "memory", "cc", CLOBBERS);                                 \
  }

LOOP(fma_registers, REGISTER)
LOOP(fma_memory, FROM_L1)
#if defined(HAS_DOT)
LOOP(dot_registers, DOT)
LOOP(dot_memory, DOT_FROM_L1)
#endif

/* Reads `size` bytes; a step is one pass. */
static int64_t size;

#define READ(n) "vmovups " #n "*%c4(%0), %%" VECTOR #n "\n\t"
static void read_memory(void *memory, int64_t steps) {
  for (int64_t step = 0; step < steps; step++) {
    char *at = memory;
    int64_t blocks = size / (8 * VECTOR_BYTES);
    __asm__ __volatile__("1:\n\t" READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)
                         "add %3, %0\n\t" "dec %1\n\t" "jnz 1b\n\t"
                         : "+r"(at), "+r"(blocks) : "0"(at), "i"(8 * VECTOR_BYTES), "i"(VECTOR_BYTES)
                         : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  }
}

/* The same, asking for each line 4 KB before it is read: quicker in the third-level cache of some processors. */
#define ASK(n) "prefetcht0 4096+" #n "*%c4(%0)\n\t"
static void read_ahead(void *memory, int64_t steps) {
  for (int64_t step = 0; step < steps; step++) {
    char *at = memory;
    int64_t blocks = size / (8 * VECTOR_BYTES);
    __asm__ __volatile__("1:\n\t" ASK(0) READ(0) ASK(1) READ(1) ASK(2) READ(2) ASK(3) READ(3) ASK(4) READ(4) ASK(5) READ(5)
                         ASK(6) READ(6) ASK(7) READ(7) "add %3, %0\n\t" "dec %1\n\t" "jnz 1b\n\t"
                         : "+r"(at), "+r"(blocks) : "0"(at), "i"(8 * VECTOR_BYTES), "i"(VECTOR_BYTES)
                         : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
  }
}

/* Several threads, each with a part of the memory of its own. */
static kernel *shared_kernel;
static _Atomic int64_t waiting, passed;
static int64_t threads = 1;

static void meet(void) {
  int64_t before = atomic_load(&passed);
  if (atomic_fetch_add(&waiting, 1) == threads - 1) {
    atomic_store(&waiting, 0);
    atomic_fetch_add(&passed, 1);
  }
  while (atomic_load(&passed) == before) {
  }
}

static void *help(void *memory) {
  for (;;) {
    meet();
    kernel *run = shared_kernel;
    if (run == NULL) {
      return NULL;
    }
    run(memory, 1);
    meet();
  }
}

static void read_together(void *memory, int64_t steps) {
  for (int64_t step = 0; step < steps; step++) {
    meet();
    shared_kernel(memory, 1);
    meet();
  }
}

/* Reads `bytes` over and over with so many threads, which meet after each pass: the better of both ways of reading. */
static int together(char *memory, int64_t bytes) {
  pthread_t others[64];
  size = bytes / threads / (8 * VECTOR_BYTES) * (8 * VECTOR_BYTES);
  kernel *const ways[] = {read_memory, read_ahead};
  double least = 1e30;
  for (int64_t i = 1; i < threads; i++) {
    if (pthread_create(&others[i], NULL, help, memory + i * size) != 0) {
      return 1;
    }
  }
  for (int way = 0; way < 2; way++) {
    shared_kernel = ways[way];
    double took = best(threads == 1 ? ways[way] : read_together, memory, 1);
    least = took < least ? took : least;
  }
  shared_kernel = NULL;
  if (threads > 1) {
    meet();
  }
  for (int64_t i = 1; i < threads; i++) {
    pthread_join(others[i], NULL);
  }
  printf("%.2f MB in %.2f us, %.1f GB/s\n", (double)bytes * 1e-6, least * 1e6, (double)bytes / least * 1e-9);
  return 0;
}

static void operations(const char *what, kernel *run, void *memory, int64_t each) {
  enum { STEPS = 20000 };
  printf("%-44s %8.1f G/s\n", what, (double)STEPS * ACCUMULATORS * (double)each / best(run, memory, STEPS) * 1e-9);
}

#if defined(__AMX_INT8__) && defined(__AMX_BF16__) && defined(__linux__)
static const struct {
  uint8_t palette, start, none[14];
  uint16_t bytes[16];
  uint8_t rows[16];
} shape = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};

#define LOAD(operand, tile, offset) "tileloadd " #offset "(%0,%1), %%tmm" #tile "\n\t"
/* Two by two tiles of sums. */
#define MULTIPLY(what) \
  what " %%tmm6, %%tmm4, %%tmm0\n\t" what " %%tmm7, %%tmm4, %%tmm1\n\t" \
  what " %%tmm6, %%tmm5, %%tmm2\n\t" what " %%tmm7, %%tmm5, %%tmm3\n\t"

/* Activations and weights come from L1. */
static void tiles(void *memory, int64_t steps) {
  char *at = memory;
  __asm__ volatile("ldtilecfg %0" : : "m"(shape));
  for (int64_t i = 0; i < steps; i++) {
    __asm__ volatile(
        LOAD(left, 4, 0) LOAD(left, 5, 1024) LOAD(right, 6, 2048) LOAD(right, 7, 3072) MULTIPLY("tdpbusd")
        : : "r"(at), "r"((int64_t)64) : "memory");
  }
  __asm__ volatile("tilerelease");
}

/* Six products of parts of two operands, each of which is three matrices of bfloat16 in L1. */
static void thirds(void *memory, int64_t steps) {
  char *at = memory;
  __asm__ volatile("ldtilecfg %0" : : "m"(shape));
  for (int64_t i = 0; i < steps; i++) {
    __asm__ volatile(
        LOAD(left, 4, 4096) LOAD(left, 5, 5120) LOAD(right, 6, 6144) LOAD(right, 7, 7168) MULTIPLY("tdpbf16ps")
        LOAD(left, 4, 2048) LOAD(left, 5, 3072) MULTIPLY("tdpbf16ps")
        LOAD(right, 6, 8192) LOAD(right, 7, 9216) MULTIPLY("tdpbf16ps")
        LOAD(left, 4, 0) LOAD(left, 5, 1024) MULTIPLY("tdpbf16ps")
        LOAD(right, 6, 10240) LOAD(right, 7, 11264) MULTIPLY("tdpbf16ps")
        LOAD(right, 6, 6144) LOAD(right, 7, 7168) MULTIPLY("tdpbf16ps")
        : : "r"(at), "r"((int64_t)64) : "memory");
  }
  __asm__ volatile("tilerelease");
}

/* The system gives their state to who asks for it. */
static void of_tiles(void *memory) {
  enum { STEPS = 20000, REQUEST = 0x1023, TILE_DATA = 18 };
  if (syscall(SYS_arch_prctl, (long)REQUEST, (long)TILE_DATA) == 0) {
    const double all = 4.0 * 16 * 16 * 32 * 2 * STEPS;
    printf("%-44s %8.1f G/s\n", "float32 operations (AMX), operands from L1", all / best(thirds, memory, STEPS) * 1e-9);
    printf("%-44s %8.1f G/s\n", "int8 operations (AMX), operands from L1", 2 * all / best(tiles, memory, STEPS) * 1e-9);
  }
}
#endif

/* Fills memory with bfloat16 from 1/4 to 1, of both signs: multipliers take longer where their operands change. */
static void numbers(void *memory, int64_t bytes) {
  uint16_t *at = memory;
  uint32_t state = 1;
  for (int64_t i = 0; i < bytes / 2; i++) {
    state = state * 1664525u + 1013904223u;
    at[i] = (uint16_t)(0x3e80 | (state >> 24 & 0xff) | (state >> 16 & 0x8000));
  }
}

static void bandwidth(const char *what, void *memory, int64_t bytes) {
  size = bytes / (8 * VECTOR_BYTES) * (8 * VECTOR_BYTES);
  int64_t steps = bytes < (1 << 22) ? (1 << 22) / bytes : 1;
  printf("%-44s %8.1f GB/s\n", what, (double)size * (double)steps / best(read_memory, memory, steps) * 1e-9);
}

int main(int count, char **words) {
  const int64_t bytes = (int64_t)256 << 20;
  char *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return 1;
  }
  madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
  memset(memory, 0, (size_t)bytes);
  if (count > 1) {
    const int64_t wanted = strtoll(words[1], NULL, 10);
    threads = count > 2 ? strtoll(words[2], NULL, 10) : 1;
    if (threads < 1 || threads > 64 || wanted < threads * 8 * VECTOR_BYTES || wanted > bytes - 4096) {
      fprintf(stderr, "usage: peak [BYTES [THREADS]]: up to 256 MB, 1 to 64 threads\n");
      return 2;
    }
    return together(memory, wanted);
  }
  numbers(memory, 64 << 10);
  operations("float32 operations, in registers", fma_registers, memory, 2 * VECTOR_BYTES / 4);
  operations("float32 operations, one operand from L1", fma_memory, memory, 2 * VECTOR_BYTES / 4);
#if defined(HAS_DOT)
  operations("int8 operations (VNNI), in registers", dot_registers, memory, 2 * VECTOR_BYTES);
  operations("int8 operations (VNNI), one operand from L1", dot_memory, memory, 2 * VECTOR_BYTES);
#endif
#if defined(__AMX_INT8__) && defined(__AMX_BF16__) && defined(__linux__)
  of_tiles(memory);
#endif
  bandwidth("read, 16 KB (L1)", memory, 16 << 10);
  bandwidth("read, 384 KB (L2)", memory, 384 << 10);
  bandwidth("read, 6 MB (L3)", memory, 6 << 20);
  bandwidth("read, 256 MB (memory)", memory, bytes);
  return 0;
}
