/* Memory of the platform, as the runtime uses it. */
#include "crt_internal.h"

/* Optional: NULL where nobody defines it. */
#if defined(__GNUC__)
#pragma weak TVMPlatformGenerateRandom
#define HAS_RANDOM (TVMPlatformGenerateRandom != NULL)
#else
#define HAS_RANDOM 1
#endif

static const DLDevice processor = {kDLCPU, 0};

void *ingot_crt_allocate(size_t bytes) {
  void *memory = NULL;
  if (bytes == 0 || TVMPlatformMemoryAllocate(bytes, processor, &memory) != kTvmErrorNoError) {
    return NULL;
  }
  return memory;
}

int ingot_crt_free(void *memory) {
  return memory == NULL ? 0 : (int)TVMPlatformMemoryFree(memory, processor);
}

int ingot_crt_random(void *memory, size_t bytes) {
  if (!HAS_RANDOM) {
    return ingot_crt_fail(kTvmErrorFunctionCallNotImplemented, "platform: there is no TVMPlatformGenerateRandom", NULL);
  }
  return bytes == 0 ? 0 : (int)TVMPlatformGenerateRandom(memory, bytes);
}

int TVMDeviceAllocDataSpace(DLDevice dev, size_t nbytes, size_t alignment, DLDataType type_hint, void **out_data) {
  (void)alignment; /* the platform's memory is aligned for any type */
  (void)type_hint;
  if (dev.device_type != kDLCPU || dev.device_id != 0) {
    return ingot_crt_fail(kTvmErrorFunctionCallInvalidArg, "memory: the only device is the CPU 0", NULL);
  }
  *out_data = ingot_crt_allocate(nbytes == 0 ? 1 : nbytes);
  return *out_data == NULL ? ingot_crt_fail(kTvmErrorPlatformNoMemory, "memory: there is none left", NULL) : 0;
}

int TVMDeviceFreeDataSpace(DLDevice dev, void *ptr) {
  (void)dev;
  return ingot_crt_free(ptr);
}
