/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that compute for a while. Arguments: threads, seconds, and "cancel" to send a cancellation to the manager, or
   "leave" or "quick" to end the process while the threads run, or "placed": each ends when it has fewer processors. At
   the end each prints whether it ever had a mask that the process did not inherit, and how many processors it had at
   most and at least. With ASKS in the environment they ask for placement, except under "placed": on a busy machine they
   may get too little to be looked at otherwise. */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* As in gimbal/pin.h. */
extern int gimbal_pin_register(const char* name) __attribute__((weak));

static cpu_set_t inherited;
static double seconds;
static int until_placed;

struct seen {
    int most, least, outside;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* compute(void* argument) {
    struct seen* const seen = argument;
    const double end = now() + seconds;
    volatile double sink = 0;
    seen->least = CPU_SETSIZE;
    if (gimbal_pin_register && getenv("ASKS") && !until_placed) gimbal_pin_register(NULL);
    while (now() < end) {
        for (int i = 0; i < 200000; ++i) sink = sink + i;
        cpu_set_t mask, both;
        sched_getaffinity(0, sizeof mask, &mask);
        CPU_AND(&both, &mask, &inherited);
        const int count = CPU_COUNT(&mask);
        if (!CPU_EQUAL(&both, &mask)) seen->outside = 1;
        if (count > seen->most) seen->most = count;
        if (count < seen->least) seen->least = count;
        if (until_placed && count < CPU_COUNT(&inherited)) break;
    }
    return NULL;
}

static void* sleep_long(void* unused) {
    (void)unused;
    sleep(60);
    return NULL;
}

/* What pthread_cancel() does, for a thread whose pthread_t nobody tells. */
static void cancel_manager(void) {
    /* The first call makes the C library listen to its signal. */
    pthread_t other;
    if (pthread_create(&other, NULL, sleep_long, NULL) != 0) return;
    pthread_cancel(other);
    pthread_join(other, NULL);
    DIR* const tasks = opendir("/proc/self/task");
    for (const struct dirent* task = NULL; tasks && (task = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
        FILE* const file = fopen(path, "r");
        if (!file) continue;
        if (fgets(name, sizeof name, file) && strncmp(name, "gimbal-pin", 10) == 0)
            printf("cancelled=%ld\n", syscall(SYS_tgkill, getpid(), atoi(task->d_name), 32));
        fclose(file);
    }
    if (tasks) closedir(tasks);
}

int main(int argc, char** argv) {
    const int threads = argc > 1 ? atoi(argv[1]) : 2;
    seconds = argc > 2 ? atof(argv[2]) : 1.5;
    sched_getaffinity(0, sizeof inherited, &inherited);
    struct seen* const seen = calloc((size_t)threads, sizeof *seen);
    pthread_t* const id = calloc((size_t)threads, sizeof *id);
    const char* const what = argc > 3 ? argv[3] : "";
    until_placed = strcmp(what, "placed") == 0;
    for (int i = 0; i < threads; ++i)
        if (pthread_create(&id[i], NULL, compute, &seen[i]) != 0) return 3;
    if (what[0] && !until_placed)
        nanosleep(&(struct timespec){.tv_sec = (time_t)seconds / 2, .tv_nsec = 500000000}, NULL);
    if (strcmp(what, "cancel") == 0) cancel_manager();
    if (strcmp(what, "leave") == 0) exit(11);
    if (strcmp(what, "quick") == 0) quick_exit(11);
    for (int i = 0; i < threads; ++i) pthread_join(id[i], NULL);
    int outside = 0, least = CPU_SETSIZE, most = 0;
    for (int i = 0; i < threads; ++i) {
        outside |= seen[i].outside;
        if (seen[i].least < least) least = seen[i].least;
        if (seen[i].most > most) most = seen[i].most;
    }
    free(id);
    free(seen);
    printf("inherited=%d outside=%d least=%d most=%d\n", CPU_COUNT(&inherited), outside, least, most);
    return outside ? 4 : 7;
}
