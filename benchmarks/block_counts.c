/* A plugin for QEMU's user-mode emulation (7.2 and later, of any guest): how often each block of instructions ran.

       gcc -O2 -shared -fPIC -o block_counts.so block_counts.c
       qemu-aarch64 -plugin ./block_counts.so,out=counts.txt ./program

   A line for each block: the addresses of its first and of its last instruction in hexadecimal, and the count. Debian's package of
   QEMU has no header for plugins, so what is needed of their interface, version 1, is declared here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *counter, uint64_t by);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *data), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t number);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);

int qemu_plugin_version = 1;

enum { ADD = 0 };

struct block {
    struct block *next;
    uint64_t first, last, count;
};

static struct block *blocks;
static const char *path;

static void translated(uint64_t id, struct qemu_plugin_tb *made) {
    (void)id;
    struct block *block = calloc(1, sizeof *block);
    if (block == NULL) abort();
    block->first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(made, 0));
    block->last = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(made, qemu_plugin_tb_n_insns(made) - 1));
    block->next = blocks;
    blocks = block;
    qemu_plugin_register_vcpu_tb_exec_inline(made, ADD, &block->count, 1);
}

static void ended(uint64_t id, void *data) {
    (void)id, (void)data;
    FILE *file = fopen(path, "w");
    if (file == NULL) abort();
    for (struct block *block = blocks; block != NULL; block = block->next)
        fprintf(file, "%" PRIx64 " %" PRIx64 " %" PRIu64 "\n", block->first, block->last, block->count);
    if (fclose(file) != 0) abort();
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv) {
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) return 1;
    path = argv[0] + 4;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
