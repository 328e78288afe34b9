/* Starts a program on QEMU's MPS2 board with a Cortex-M4; it prints and ends through semihosting. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern uint32_t stack_top, data_load, data_begin, data_end, bss_begin, bss_end;
int main(int argc, char **argv);
void initialise_monitor_handles(void);
void reset(void);
void stop(void);

void reset(void) {
  static char name[] = "program";
  static char *arguments[] = {name, NULL};
  volatile uint32_t *const access = (volatile uint32_t *)0xe000ed88u; /* CPACR */
  *access |= 0xf00000u;                                               /* the floating-point unit */
  __asm volatile("dsb\n isb");
  memcpy(&data_begin, &data_load, (size_t)((char *)&data_end - (char *)&data_begin));
  memset(&bss_begin, 0, (size_t)((char *)&bss_end - (char *)&bss_begin));
  initialise_monitor_handles();
  exit(main(1, arguments));
}

/* Any fault. */
void stop(void) {
  _Exit(99);
}

void _init(void) {}
void _fini(void) {}

__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    (void (*)(void))(uintptr_t)&stack_top, reset, stop, stop, stop, stop, stop};
