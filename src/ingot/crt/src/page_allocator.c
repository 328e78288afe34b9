/* An allocator in pages: a table says for the first page of each allocation how many it has. */
#include <tvm/runtime/crt/page_allocator.h>

#include "crt_internal.h"

#define MOST_ALIGNMENT 64u

struct page_manager {
  MemoryManagerInterface interface;
  uint8_t *pages;
  size_t page_bytes;
  size_t count;
  size_t *lengths; /* 0: free, or not the first page of an allocation */
};

static tvm_crt_error_t allocate(MemoryManagerInterface *interface, size_t num_bytes, DLDevice dev, void **out_ptr) {
  struct page_manager *const manager = (struct page_manager *)(void *)interface;
  const size_t wanted = num_bytes == 0 ? 1 : num_bytes / manager->page_bytes + (num_bytes % manager->page_bytes != 0);
  size_t free_pages = 0;
  (void)dev;
  *out_ptr = NULL;
  for (size_t page = 0; page < manager->count;) {
    if (manager->lengths[page] != 0) {
      page += manager->lengths[page];
      free_pages = 0;
      continue;
    }
    page++;
    free_pages++;
    if (free_pages == wanted) {
      manager->lengths[page - wanted] = wanted;
      *out_ptr = manager->pages + (page - wanted) * manager->page_bytes;
      interface->vleak_size++;
      return kTvmErrorNoError;
    }
  }
  return kTvmErrorPlatformNoMemory;
}

static tvm_crt_error_t release(MemoryManagerInterface *interface, void *ptr, DLDevice dev) {
  struct page_manager *const manager = (struct page_manager *)(void *)interface;
  const uintptr_t offset = (uintptr_t)ptr - (uintptr_t)manager->pages;
  const size_t page = offset / manager->page_bytes;
  (void)dev;
  if (offset % manager->page_bytes != 0 || page >= manager->count || manager->lengths[page] == 0) {
    return kTvmErrorPlatformCheckFailure;
  }
  manager->lengths[page] = 0;
  interface->vleak_size--;
  return kTvmErrorNoError;
}

/* Bytes up to the next address that is a multiple of the alignment. */
static size_t padding(const uint8_t *address, size_t alignment) {
  return (alignment - (uintptr_t)address % alignment) % alignment;
}

tvm_crt_error_t PageMemoryManagerCreate(MemoryManagerInterface **interface, uint8_t *memory_pool, size_t memory_pool_size_bytes,
                                        size_t page_size_bytes_log2) {
  const size_t before = padding(memory_pool, sizeof(size_t));
  const size_t header = before + sizeof(struct page_manager);
  struct page_manager *manager;
  size_t page_bytes, count, unused;
  *interface = NULL;
  if (page_size_bytes_log2 < 2 || page_size_bytes_log2 >= sizeof(size_t) * 8 - 1) {
    return kTvmErrorPlatformCheckFailure;
  }
  page_bytes = (size_t)1 << page_size_bytes_log2;
  if (memory_pool_size_bytes < header + MOST_ALIGNMENT + sizeof(size_t) + page_bytes) {
    return kTvmErrorPlatformNoMemory;
  }
  count = (memory_pool_size_bytes - header - MOST_ALIGNMENT) / (page_bytes + sizeof(size_t));
  if (count == 0) {
    return kTvmErrorPlatformNoMemory;
  }
  manager = (struct page_manager *)(void *)(memory_pool + before);
  memset(manager, 0, sizeof *manager + count * sizeof(size_t));
  manager->lengths = (size_t *)(void *)(manager + 1);
  manager->pages = memory_pool + header + count * sizeof(size_t);
  unused = padding(manager->pages, page_bytes < MOST_ALIGNMENT ? page_bytes : MOST_ALIGNMENT);
  manager->pages += unused;
  manager->page_bytes = page_bytes;
  manager->count = count;
  manager->interface.Allocate = allocate;
  manager->interface.Free = release;
  *interface = &manager->interface;
  return kTvmErrorNoError;
}

tvm_crt_error_t MemoryManagerCreate(MemoryManagerInterface **manager, uint8_t *memory_pool, size_t memory_pool_size_bytes,
                                    size_t page_size_bytes_log2) {
  return PageMemoryManagerCreate(manager, memory_pool, memory_pool_size_bytes, page_size_bytes_log2);
}
