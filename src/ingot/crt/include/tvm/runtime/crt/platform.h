/* What the integrator provides. `platform/posix` has all of it for a POSIX host, as weak symbols: define what you want to replace. */
#ifndef TVM_RUNTIME_CRT_PLATFORM_H_
#define TVM_RUNTIME_CRT_PLATFORM_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <tvm/runtime/c_runtime_api.h>
#include <tvm/runtime/crt/error_codes.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define INGOT_NORETURN __attribute__((noreturn))
#else
#define INGOT_NORETURN
#endif

/* An error after which nothing can go on: reset or hang, do not return. This runtime never calls it; applications and operators of
 * others do. On POSIX: a message and abort(). */
void INGOT_NORETURN TVMPlatformAbort(tvm_crt_error_t code);

/* Memory for the runtime, aligned for any type; `dev` is always {kDLCPU, 0}. On POSIX: aligned to 64 bytes, from the heap. Where
 * there is no heap, forward both to a page allocator (page_allocator.h) or a stack allocator (stack_allocator.h). */
tvm_crt_error_t TVMPlatformMemoryAllocate(size_t num_bytes, DLDevice dev, void **out_ptr);
tvm_crt_error_t TVMPlatformMemoryFree(void *ptr, DLDevice dev);

/* Measures one span of time. On POSIX: the monotonic clock. */
tvm_crt_error_t TVMPlatformTimerStart(void);
tvm_crt_error_t TVMPlatformTimerStop(double *elapsed_time_seconds);

/* Called around a measurement. On POSIX: nothing. */
tvm_crt_error_t TVMPlatformBeforeMeasurement(void);
tvm_crt_error_t TVMPlatformAfterMeasurement(void);

/* Fills memory with random bytes, for TVMNDArray_RandomFill and the global function tvm.contrib.random.random_fill. May be left out:
 * they fail then. On POSIX: from /dev/urandom. */
tvm_crt_error_t TVMPlatformGenerateRandom(uint8_t *buffer, size_t num_bytes);

/* Prepares the board. On POSIX: nothing. Applications call it, this runtime does not. */
tvm_crt_error_t TVMPlatformInitialize(void);

/* Formats as vsnprintf does. On POSIX: it is that. Applications call it, this runtime does not. */
size_t TVMPlatformFormatMessage(char *out_buf, size_t out_buf_size_bytes, const char *fmt, va_list args);

#ifdef __cplusplus
}
#endif

#endif
