/* Whether a worker that may run on the caller's processor and on others is sent to the others, and then may run where it might
 * before; and whether one that somebody bound to a processor is left there. What the system makes of that is its own matter: the
 * calls are caught. Exit status 0: all that.
 */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <pthread.h>
#include <sched.h>

enum { HERE = 1, MOST_CALLS = 4 };

static cpu_set_t allowed;
static cpu_set_t told[MOST_CALLS];
static int calls;

static int made_up_get(pthread_t thread, size_t bytes, cpu_set_t *where) {
  (void)thread;
  (void)bytes;
  *where = allowed;
  return 0;
}

static int made_up_set(pthread_t thread, size_t bytes, const cpu_set_t *where) {
  (void)thread;
  (void)bytes;
  if (calls < MOST_CALLS) {
    told[calls] = *where;
  }
  calls++;
  return 0;
}

static int made_up_cpu(void) { return HERE; }

#define pthread_getaffinity_np made_up_get
#define pthread_setaffinity_np made_up_set
#define sched_getcpu made_up_cpu
#include "pool.c"

static void send(uint32_t processors) {
  pthread_t worker = pthread_self();
  ingot_pool pool = {.started = 1, .workers = &worker};
  CPU_ZERO(&allowed);
  for (unsigned i = 0; i < 32; i++) {
    if (processors >> i & 1) {
      CPU_SET(i, &allowed);
    }
  }
  calls = 0;
  send_away(&pool);
}

static int is(const cpu_set_t *where, uint32_t processors) {
  int same = CPU_COUNT(where) == __builtin_popcount(processors);
  for (unsigned i = 0; i < 32; i++) {
    same &= !CPU_ISSET(i, where) == !(processors >> i & 1);
  }
  return same;
}

int main(void) {
  send(0x7);
  int bad = calls != 2 || !is(&told[0], 0x5) || !is(&told[1], 0x7);
  send(1 << HERE);
  bad |= calls != 0;
  send(0x5); /* it cannot be in the caller's way */
  bad |= calls != 0;
  return bad;
}
