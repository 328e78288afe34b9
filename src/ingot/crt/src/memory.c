/* Memory of the platform, as the runtime uses it. */
#include "crt_internal.h"

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
