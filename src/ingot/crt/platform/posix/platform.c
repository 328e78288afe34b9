/* The platform functions for a POSIX host. Each is weak: define your own, and the linker takes that. */
#define _POSIX_C_SOURCE 200112L

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <tvm/runtime/crt/logging.h>
#include <tvm/runtime/crt/platform.h>

#define WEAK __attribute__((weak))
#define ALIGNMENT 64

static struct timespec started;
static int running;

WEAK void TVMPlatformAbort(tvm_crt_error_t code) {
  fprintf(stderr, "the runtime stopped with error 0x%x: %s\n", (unsigned)code, TVMGetLastError());
  abort();
}

WEAK tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr) {
  (void)dev;
  *out_ptr = NULL;
  return posix_memalign(out_ptr, ALIGNMENT, num_bytes == 0 ? 1 : num_bytes) == 0 ? kTvmErrorNoError : kTvmErrorPlatformNoMemory;
}

WEAK tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev) {
  (void)dev;
  free(ptr);
  return kTvmErrorNoError;
}

WEAK void TVMLogf(const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  (void)vfprintf(stderr, fmt, args);
  va_end(args);
}

WEAK tvm_crt_error_t TVMPlatformTimerStart(void) {
  if (running || clock_gettime(CLOCK_MONOTONIC, &started) != 0) {
    return kTvmErrorPlatformTimerBadState;
  }
  running = 1;
  return kTvmErrorNoError;
}

WEAK tvm_crt_error_t TVMPlatformTimerStop(double *elapsed_time_seconds) {
  struct timespec now;
  if (!running || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
    return kTvmErrorPlatformTimerBadState;
  }
  running = 0;
  *elapsed_time_seconds = (double)(now.tv_sec - started.tv_sec) + (double)(now.tv_nsec - started.tv_nsec) * 1e-9;
  return kTvmErrorNoError;
}

WEAK tvm_crt_error_t TVMPlatformBeforeMeasurement(void) {
  return kTvmErrorNoError;
}

WEAK tvm_crt_error_t TVMPlatformAfterMeasurement(void) {
  return kTvmErrorNoError;
}

WEAK tvm_crt_error_t TVMPlatformGenerateRandom(uint8_t *buffer, size_t num_bytes) {
  FILE *const file = fopen("/dev/urandom", "rb");
  size_t got = 0;
  if (file != NULL) {
    got = fread(buffer, 1, num_bytes, file);
    (void)fclose(file);
  }
  return got == num_bytes ? kTvmErrorNoError : kTvmErrorPlatformCheckFailure;
}

WEAK tvm_crt_error_t TVMPlatformInitialize(void) {
  return kTvmErrorNoError;
}

WEAK size_t TVMPlatformFormatMessage(char *out_buf, size_t out_buf_size_bytes, const char *fmt, va_list args) {
  const int length = vsnprintf(out_buf, out_buf_size_bytes, fmt, args);
  return length < 0 ? 0 : (size_t)length < out_buf_size_bytes ? (size_t)length : out_buf_size_bytes == 0 ? 0 : out_buf_size_bytes - 1;
}
