/* Messages for people. The integrator provides TVMLogf. */
#ifndef TVM_RUNTIME_CRT_LOGGING_H_
#define TVM_RUNTIME_CRT_LOGGING_H_

#include <tvm/runtime/crt/platform.h>

#include "crt_config.h"

#define TVM_CRT_LOG_LEVEL_ERROR 0
#define TVM_CRT_LOG_LEVEL_WARN 1
#define TVM_CRT_LOG_LEVEL_INFO 2
#define TVM_CRT_LOG_LEVEL_DEBUG 3

#ifdef __cplusplus
extern "C" {
#endif

/* As printf. On POSIX: to the standard error stream. This runtime itself prints nothing: what failed is in TVMGetLastError. */
#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
void TVMLogf(const char *fmt, ...);

#ifdef __cplusplus
}
#endif

/* The macros that applications use. At least one argument follows the format in strict C99. */
#define TVM_CRT_LOG(level, ...)                           \
  do {                                                    \
    if (TVM_CRT_LOG_LEVEL >= (level)) TVMLogf(__VA_ARGS__); \
  } while (0)
#ifndef LOG_ERROR
#define LOG_ERROR(...) TVM_CRT_LOG(TVM_CRT_LOG_LEVEL_ERROR, __VA_ARGS__)
#define LOG_WARN(...) TVM_CRT_LOG(TVM_CRT_LOG_LEVEL_WARN, __VA_ARGS__)
#define LOG_INFO(...) TVM_CRT_LOG(TVM_CRT_LOG_LEVEL_INFO, __VA_ARGS__)
#define LOG_DEBUG(...) TVM_CRT_LOG(TVM_CRT_LOG_LEVEL_DEBUG, __VA_ARGS__)
#endif

#ifndef CHECK
#define CHECK(x)                                                       \
  do {                                                                 \
    if (!(x)) {                                                        \
      LOG_ERROR("%s:%d: check failed: %s\n", __FILE__, __LINE__, #x); \
      TVMPlatformAbort(kTvmErrorPlatformCheckFailure);                 \
    }                                                                  \
  } while (0)
#endif

#endif
