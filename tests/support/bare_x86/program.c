/* Calls a model once and writes its outputs to the port that the emulator prints. */
#include <stddef.h>
#include <stdint.h>

struct output {
    const uint8_t *bytes;
    uint64_t size;
};

/* Made for each model: its pointers, its outputs behind each other, ended by one without bytes. */
extern void *const bases[];
extern const struct output outputs[];
int32_t MODEL_RUN(void *const *bases);

static void print_byte(uint8_t byte)
{
    __asm__ volatile("outb %0, $0xe9" : : "a"(byte));
}

static void print(const char *text)
{
    while (*text != '\0') {
        print_byte((uint8_t)*text++);
    }
}

__attribute__((section(".first"), noreturn)) void first(void)
{
    print(MODEL_RUN(bases) == 0 ? "<GOOD>" : "<BAD>");
    for (const struct output *one = outputs; one->bytes != NULL; one++) {
        for (uint64_t at = 0; at < one->size; at++) {
            print_byte(one->bytes[at]);
        }
    }
    print("<END>");
    for (;;) {
        __asm__ volatile("hlt");
    }
}

void *memcpy(void *to, const void *from, size_t size)
{
    void *result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    return result;
}

void *memset(void *to, int byte, size_t size)
{
    void *result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(byte) : "memory");
    return result;
}

void ingot_pool_for(void *pool, void (*body)(void *const *, int64_t, int64_t), void *const *args, int64_t extent, int64_t grain)
{
    (void)pool;
    (void)grain;
    if (extent > 0) {
        body(args, 0, extent);
    }
}

int32_t ingot_pool_team(void *pool, int32_t (*body)(void *const *, void *), void *const *bases, int32_t count, int32_t loops,
                        int64_t length)
{
    (void)count, (void)loops, (void)length;
    return body(bases, pool);
}

int32_t ingot_pool_turn(void *pool)
{
    (void)pool;
    return 1;
}

void ingot_pool_pass(void *pool)
{
    (void)pool;
}
