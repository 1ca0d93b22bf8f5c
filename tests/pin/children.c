/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread waits until it has been placed on fewer processors than the process has, and then starts children in every
   way there is. Each says how many processors it may use. Argument "print": says it and ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char** environ;
static const char* self;
static int inherited;
static int placed;

static int count(void) {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return CPU_COUNT(&mask);
}

static void say(const char* how) {
    char line[64];
    const int length = snprintf(line, sizeof line, "%s=%d\n", how, count());
    if (write(1, line, (size_t)length) < 0) _exit(9);
}

static void* in_thread(void* how) {
    say(how);
    return NULL;
}

static void start_all(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        say("fork");
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, "fork-thread");
        pthread_join(thread, NULL);
        _exit(0);
    }
    waitpid(child, &status, 0);
    char* words[] = {(char*)self, "print", "spawn", NULL};
    if (posix_spawn(&child, self, NULL, NULL, words, environ) == 0) waitpid(child, &status, 0);
    child = vfork();
    if (child == 0) {
        execl(self, self, "print", "vfork-execl", (char*)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) {
        char* more[] = {(char*)self, "print", "fork-execv", NULL};
        execv(self, more);
        _exit(1);
    }
    waitpid(child, &status, 0);
    char command[4096];
    snprintf(command, sizeof command, "'%s' print system", self);
    if (system(command) != 0) _exit(8);
    snprintf(command, sizeof command, "'%s' print popen", self);
    FILE* const pipe = popen(command, "r");
    char line[64];
    if (fgets(line, sizeof line, pipe) && write(1, line, strlen(line)) < 0) _exit(9);
    pclose(pipe);
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, "thread");
    pthread_join(thread, NULL);
    /* The last: the process itself becomes another program, if the kernel ends its other threads. */
    execlp(self, self, "print", "exec", (char*)NULL);
}

static void* compute(void* starts) {
    const time_t end = time(NULL) + 20;
    volatile double sink = 0;
    while (time(NULL) < end && !__atomic_load_n(&placed, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < 200000; ++i) sink = sink + i;
        if (!starts || count() == inherited) continue;
        __atomic_store_n(&placed, 1, __ATOMIC_RELEASE);
        say("placed");
        start_all();
    }
    return NULL;
}

int main(int argc, char** argv) {
    if (argc > 2 && strcmp(argv[1], "print") == 0) {
        say(argv[2]);
        return 0;
    }
    self = argv[0];
    inherited = count();
    pthread_t first, second;
    pthread_create(&first, NULL, compute, &self);
    pthread_create(&second, NULL, compute, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 6;
}
