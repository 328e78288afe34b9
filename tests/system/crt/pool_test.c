/* Exercises the thread pool from C, so that sanitizers see all of it. Prints nothing; the exit status says which check failed. */
#define _GNU_SOURCE 1
#include "pool.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXTENT = 1000 };

static void add_one(void *const *args, int64_t begin, int64_t end) {
  int32_t *counts = args[0];
  for (int64_t i = begin; i < end; i++) {
    counts[i]++;
  }
}

static int each_once(ingot_pool *pool, int64_t extent, int64_t grain) {
  int32_t *counts = calloc((size_t)extent + 1, sizeof *counts);
  void *args[1] = {counts};
  ingot_pool_for(pool, add_one, args, extent, grain);
  int good = counts[extent] == 0;
  for (int64_t i = 0; i < extent; i++) {
    good = good && counts[i] == 1;
  }
  free(counts);
  return good;
}

static void nested(void *const *args, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) {
    if (!each_once(args[0], 50, 1)) {
      atomic_store((_Atomic int *)args[1], 1);
    }
  }
}

static void *caller(void *argument) {
  for (int i = 0; i < 200; i++) {
    if (!each_once(argument, 100 + i, 1 + i % 7)) {
      return argument;
    }
  }
  return NULL;
}

static void all_ranges_are_long_enough(void *const *args, int64_t begin, int64_t end) {
  if (end - begin < 16 && end - begin != *(int64_t *)args[0]) {
    atomic_store((_Atomic int *)args[1], 1);
  }
}

static void no_range_crosses_the_middle(void *const *args, int64_t begin, int64_t end) {
  const int64_t extent = *(int64_t *)args[0];
  const int64_t middle = (extent + 1) / 2;
  const int is_all = begin == 0 && end == extent; /* the worker sleeps */
  if (!is_all && begin < middle && end > middle) {
    atomic_store((_Atomic int *)args[1], 1);
  }
}

static pthread_t main_thread;

/* Takes long, and says whether a worker does it. */
static void take_long(void *const *args, int64_t begin, int64_t end) {
  usleep((useconds_t)(300 * (end - begin)));
  if (!pthread_equal(pthread_self(), main_thread)) {
    atomic_store((_Atomic int *)args[0], 1);
  }
}

static _Atomic int arrived;

/* Counts the threads that ever did this. */
static void arrive(void *const *args, int64_t begin, int64_t end) {
  static _Thread_local int was_here;
  (void)args;
  if (!was_here) {
    was_here = 1;
    atomic_fetch_add(&arrived, 1);
  }
  usleep((useconds_t)(100 * (end - begin)));
}

/* Has all threads of a pool of three begin, as far as they have not yet. */
static int begin_all(ingot_pool *pool) {
  void *args[1] = {NULL};
  for (int attempt = 0; attempt < 5000 && atomic_load(&arrived) < 3; attempt++) { /* some 10 s at most */
    ingot_pool_for(pool, arrive, args, 30, 1);
  }
  return atomic_load(&arrived) == 3;
}

/* How many threads of this process run or want to. */
static int running(void) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
    char path[300];
    char state = 0;
    if (task->d_name[0] == '.') {
      continue;
    }
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
    FILE *file = fopen(path, "r");
    if (file != NULL) {
      count += fscanf(file, "%*d (%*[^)]) %c", &state) == 1 && state == 'R';
      fclose(file);
    }
  }
  if (tasks != NULL) {
    closedir(tasks);
  }
  return count;
}

enum { TEAM_LOOPS_DONE = 40, TEAM_STATUS = 7 };

typedef struct {
  int64_t cells[2][EXTENT];
  int64_t alone;
} state;

static _Atomic int worker_came;
static int worker_is_slow;

/* Each cell needs one that the other thread made in the loop before. */
static void turn_around(void *const *args, int64_t begin, int64_t end) {
  const int64_t *from = args[0];
  int64_t *to = args[1];
  if (!pthread_equal(pthread_self(), main_thread)) {
    atomic_store(&worker_came, 1);
    if (worker_is_slow) {
      usleep(300); /* longer than anybody has patience */
    }
  }
  for (int64_t i = begin; i < end; i++) {
    to[i] = (int64_t)((uint64_t)from[EXTENT - 1 - i] * 3 + (uint64_t)i);
  }
}

/* Loops, and what one thread does alone: before, between and behind them. `bases`: a state, and a place with the grain. */
static int32_t many_loops(void *const *bases, ingot_pool *pool) {
  state *of = bases[0];
  for (int loop = 0; loop < TEAM_LOOPS_DONE; loop++) {
    int64_t *to = of->cells[1 - loop % 2];
    if (loop % 5 == 0 && ingot_pool_turn(pool)) {
      of->alone++;
      of->cells[loop % 2][loop] += of->alone;
      ingot_pool_pass(pool);
    }
    void *args[2] = {of->cells[loop % 2], to};
    ingot_pool_for(pool, turn_around, args, EXTENT, *(int64_t *)bases[1]);
    if (loop % 5 == 4) {
      for (int turn = 0; turn < 2; turn++) {
        if (ingot_pool_turn(pool)) {
          to[EXTENT - 1 - loop] ^= of->alone;
          ingot_pool_pass(pool);
        }
      }
    }
  }
  return TEAM_STATUS;
}

/* Whether a team does what one thread does without a pool. */
static int team_is_right(ingot_pool *pool, int64_t grain) {
  static state expected;
  static state found;
  memset(&expected, 0, sizeof expected);
  memset(&found, 0, sizeof found);
  void *alone[2] = {&expected, &grain};
  const int32_t status = many_loops(alone, NULL);
  void *bases[2] = {&found, &grain};
  const int32_t same = ingot_pool_team(pool, many_loops, bases, 2, TEAM_LOOPS_DONE, 1000);
  return status == TEAM_STATUS && same == TEAM_STATUS && memcmp(&expected, &found, sizeof found) == 0;
}

static void begin_slowly(void *const *args, int64_t begin, int64_t end) {
  (void)args;
  (void)begin;
  (void)end;
  if (pthread_equal(pthread_self(), main_thread)) {
    usleep(2000); /* until the worker has come */
  } else {
    atomic_store(&worker_came, 1);
  }
}

enum { LONG_ALONE = 50000 };

/* A loop, what takes the caller long without computing anything, and a loop that has to wait for that. */
static int32_t long_alone(void *const *bases, ingot_pool *pool) {
  ingot_pool_for(pool, begin_slowly, bases, 2, 1);
  if (ingot_pool_turn(pool)) {
    usleep(LONG_ALONE);
    ingot_pool_pass(pool);
  }
  ingot_pool_for(pool, begin_slowly, bases, 2, 1);
  return TEAM_STATUS;
}

/* Microseconds that all threads have computed. */
static int64_t computed(void) {
  struct timespec clock;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &clock);
  return (int64_t)clock.tv_sec * 1000000 + clock.tv_nsec / 1000;
}

static _Atomic int handled;
static pthread_t handler;

static void handle(int number) {
  (void)number;
  handler = pthread_self();
  atomic_store(&handled, 1);
}

/* Raises a signal in the thread that does this, if it is a worker. */
static void raise_in_a_worker(void *const *args, int64_t begin, int64_t end) {
  usleep((useconds_t)(10 * (end - begin)));
  if (!pthread_equal(pthread_self(), main_thread) && !atomic_exchange((_Atomic int *)args[0], 1)) {
    raise(*(const int *)args[1]);
  }
}

static int test(const char *name) {
  main_thread = pthread_self();
  if (strcmp(name, "loops") == 0) {
    for (int32_t threads = 1; threads <= 5; threads++) {
      ingot_pool *pool = ingot_pool_create(threads);
      for (int64_t extent = 0; extent < 70; extent++) {
        if (!each_once(pool, extent, 1) || !each_once(pool, extent, 3) || !each_once(NULL, extent, 1)) {
          return 1;
        }
      }
      for (int i = 0; i < 300; i++) {
        if (i % 100 == 0) {
          usleep(2000); /* long enough that the workers sleep */
        }
        if (!each_once(pool, EXTENT, 1)) {
          return 2;
        }
      }
      ingot_pool_destroy(pool);
    }
    return 0;
  }
  if (strcmp(name, "grain") == 0) {
    _Atomic int bad = 0;
    ingot_pool *pool = ingot_pool_create(3);
    for (int64_t extent = 1; extent < 500; extent++) {
      void *args[2] = {&extent, &bad};
      ingot_pool_for(pool, all_ranges_are_long_enough, args, extent, 16);
    }
    ingot_pool_destroy(pool);
    return atomic_load(&bad);
  }
  if (strcmp(name, "even") == 0) {
    _Atomic int bad = 0;
    ingot_pool *pool = ingot_pool_create(2);
    for (int64_t extent = 1; extent < 500; extent++) {
      for (int64_t grain = 1; grain < 5; grain++) {
        void *args[2] = {&extent, &bad};
        ingot_pool_for(pool, no_range_crosses_the_middle, args, extent, grain);
      }
    }
    ingot_pool_destroy(pool);
    return atomic_load(&bad);
  }
  if (strcmp(name, "asleep") == 0) {
    ingot_pool *pool = ingot_pool_create(3);
    for (int round = 0; round < 5; round++) {
      for (int64_t loop = 0; loop < 40; loop++) { /* too small to wake anybody; together they are worth it */
        if (!each_once(pool, 2 + loop % 5, 1)) {
          return 1;
        }
      }
      usleep(5000); /* long enough that the workers sleep */
      if (!each_once(pool, EXTENT, 400) || !each_once(pool, EXTENT, 1)) {
        return 2;
      }
      usleep(5000);
    }
    ingot_pool_destroy(pool); /* of workers that sleep */
    return 0;
  }
  if (strcmp(name, "few") == 0 || strcmp(name, "long") == 0) { /* and long iterations are worth waking somebody, too */
    const int is_known = strcmp(name, "long") == 0; /* how long they are: then at once */
    _Atomic int helped = 0;
    void *args[1] = {&helped};
    for (int attempt = 0; attempt < 50 && !atomic_load(&helped); attempt++) { /* on a busy machine it may come too late */
      ingot_pool *pool = ingot_pool_create(2); /* a new one, which has missed nothing yet */
      if (!each_once(pool, EXTENT, 1)) {
        return 1;
      }
      usleep(20000); /* long enough that the worker sleeps */
      for (int loop = 0; loop < (is_known ? 1 : 8); loop++) {
        ingot_pool_for(pool, take_long, args, is_known ? 2 : 4, is_known ? -400 : 1);
      }
      ingot_pool_destroy(pool);
    }
    return !atomic_load(&helped);
  }
  if (strcmp(name, "trials") == 0) { /* loops just worth sharing out, so many that their costs are looked at again and again */
    static const int64_t grains[] = {EXTENT / 2, EXTENT / 3, -1, -100, INT64_MIN + 1};
    for (int32_t threads = 2; threads <= 9; threads += 7) { /* more than there are processors, perhaps */
      ingot_pool *pool = ingot_pool_create(threads);
      for (int i = 0; i < 6000; i++) {
        if (i % 1500 == 1499) {
          usleep(3000); /* long enough that the workers sleep */
        }
        const int64_t grain = grains[i % 5];
        if (!each_once(pool, grain < 0 ? 2 : EXTENT, grain)) {
          return 1;
        }
      }
      ingot_pool_destroy(pool);
    }
    return 0;
  }
  if (strcmp(name, "nested") == 0) {
    _Atomic int bad = 0;
    ingot_pool *pool = ingot_pool_create(3);
    void *args[2] = {pool, &bad};
    ingot_pool_for(pool, nested, args, 40, 1);
    ingot_pool_destroy(pool);
    return atomic_load(&bad);
  }
  if (strcmp(name, "callers") == 0) {
    ingot_pool *pool = ingot_pool_create(3);
    pthread_t threads[4];
    int bad = 0;
    for (int i = 0; i < 4; i++) {
      pthread_create(&threads[i], NULL, caller, pool);
    }
    for (int i = 0; i < 4; i++) {
      void *result = NULL;
      pthread_join(threads[i], &result);
      bad |= result != NULL;
    }
    ingot_pool_destroy(pool);
    return bad;
  }
  if (strcmp(name, "fork") == 0) {
    ingot_pool *pool = ingot_pool_create(3);
    if (!each_once(pool, EXTENT, 1)) {
      return 1;
    }
    begin_all(pool); /* AddressSanitizer's child waits for ever if a thread was just starting: it may have had a lock of its */
    const pid_t child = fork();
    if (child == 0) {
      atomic_store(&arrived, 1); /* this thread was here before; the others are the parent's */
      const int good = each_once(pool, EXTENT, 1) && begin_all(pool);
      ingot_pool_destroy(pool);
      _exit(good ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const int good = each_once(pool, EXTENT, 1);
    ingot_pool_destroy(pool);
    return !good || status != 0;
  }
  if (strcmp(name, "idle") == 0) { /* who has nothing to do takes no time of a processor, after a moment */
    ingot_pool *pool = ingot_pool_create(3);
    begin_all(pool);
    int quiet = 0;
    for (int attempt = 0; attempt < 1000 && quiet < 5; attempt++) { /* 10 s at most */
      usleep(10000);
      quiet = running() == 1 ? quiet + 1 : 0; /* it is this thread that looks */
    }
    ingot_pool_destroy(pool);
    return quiet < 5;
  }
  if (strcmp(name, "signals") == 0) { /* they are for threads of the host program */
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    struct sigaction action = {.sa_handler = handle};
    sigaction(SIGUSR1, &action, NULL);
    ingot_pool *pool = ingot_pool_create(3);
    begin_all(pool);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    usleep(20000); /* a worker that may have it takes it by then */
    const int too_early = atomic_load(&handled);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    const int good = !too_early && atomic_load(&handled) && pthread_equal(handler, pthread_self());
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}; /* but what a worker does wrong is its own */
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
      sigaction(own[i], &action, NULL);
      atomic_store(&handled, 0);
      _Atomic int came = 0;
      void *args[2] = {&came, (void *)&own[i]};
      while (!atomic_load(&came)) {
        ingot_pool_for(pool, raise_in_a_worker, args, 100, 1);
      }
      if (!atomic_load(&handled) || pthread_equal(handler, main_thread)) {
        return 2;
      }
    }
    ingot_pool_destroy(pool);
    return !good;
  }
  if (strcmp(name, "team") == 0) { /* ranges of all kinds, loops too short to be shared out, workers that sleep; and trials */
    static const int64_t grains[] = {1, 3, EXTENT / 10, EXTENT / 2, EXTENT, -1, -100};
    for (int32_t threads = 1; threads <= 3; threads++) {
      ingot_pool *pool = ingot_pool_create(threads);
      for (int i = 0; i < 700; i++) {
        if (i % 100 == 99) {
          usleep(3000); /* long enough that the worker sleeps */
        }
        if (!team_is_right(i % 50 == 0 ? NULL : pool, grains[i % 7]) || !each_once(pool, EXTENT, 1)) {
          return threads;
        }
      }
      ingot_pool_destroy(pool);
    }
    return 0;
  }
  if (strcmp(name, "team of two") == 0) { /* a worker comes, and who is quicker helps it */
    for (worker_is_slow = 0; worker_is_slow < 2; worker_is_slow++) {
      atomic_store(&worker_came, 0);
      for (int attempt = 0; attempt < 50 && !atomic_load(&worker_came); attempt++) { /* on a busy machine it may come too late */
        ingot_pool *pool = ingot_pool_create(2); /* which has not found out yet that it is slow */
        for (int i = 0; i < 40; i++) {
          if (!team_is_right(pool, 3)) {
            return 1;
          }
        }
        ingot_pool_destroy(pool);
      }
      if (!atomic_load(&worker_came)) {
        return 2;
      }
    }
    return 0;
  }
  if (strcmp(name, "team asleep") == 0) { /* a worker that waits long does not compute meanwhile */
    for (int attempt = 0; attempt < 50; attempt++) {
      ingot_pool *pool = ingot_pool_create(2);
      atomic_store(&worker_came, 0);
      void *bases[1] = {NULL};
      const int64_t before = computed();
      const int32_t status = ingot_pool_team(pool, long_alone, bases, 1, 2, 1000);
      const int64_t took = computed() - before;
      ingot_pool_destroy(pool);
      if (status != TEAM_STATUS) {
        return 1;
      }
      if (atomic_load(&worker_came)) {
        return took < LONG_ALONE / 2 ? 0 : 2;
      }
    }
    return 3;
  }
  if (strcmp(name, "team after fork") == 0) {
    ingot_pool *pool = ingot_pool_create(2);
    for (int i = 0; i < 50; i++) {
      if (!team_is_right(pool, 3)) {
        return 1;
      }
    }
    const pid_t child = fork();
    if (child == 0) {
      int good = 1;
      for (int i = 0; i < 50; i++) {
        good = good && team_is_right(pool, 3);
      }
      ingot_pool_destroy(pool);
      _exit(good ? 0 : 3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const int good = team_is_right(pool, 3);
    ingot_pool_destroy(pool);
    return !good || status != 0;
  }
  if (strcmp(name, "unused") == 0) {
    ingot_pool *pool = ingot_pool_create(4);
    const int32_t threads = ingot_pool_threads(pool);
    ingot_pool_destroy(pool);
    ingot_pool_destroy(NULL);
    return threads != 4 || ingot_pool_threads(NULL) != 1 || ingot_pool_create(0) != NULL || ingot_pool_create(-3) != NULL;
  }
  return 99;
}

int main(int count, char **arguments) { return count == 2 ? test(arguments[1]) : 98; }
