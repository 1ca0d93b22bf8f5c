/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A thread waits until it has been placed on fewer processors than the process has, starts a child in the way that the
   argument names, slowly, so that the manager looks meanwhile, and then another one. Each child says how many
   processors it may use. Afterwards the thread computes on until it is placed once more; "outside": it waits, so that
   others see which mask it has now. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>

#include "gimbal/pin.h"

enum { kSlow_us = 700000, kMax_s = 60 };

extern char** environ;
static const char* self;
static const char* way;
static int inherited;
static int over;
static char fifo[64];

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

static void* open_fifo(void* unused) {
    usleep(kSlow_us);
    close(open(fifo, O_WRONLY));
    return unused;
}

/* The child waits for somebody who writes, and the thread for the child. */
static void spawn(void) {
    snprintf(fifo, sizeof fifo, "/tmp/gimbal-long-child.%d", (int)getpid());
    if (mkfifo(fifo, 0600) != 0) exit(8);
    pthread_t other;
    pthread_create(&other, NULL, open_fifo, NULL);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, fifo, O_RDONLY, 0);
    char* words[] = {(char*)self, "print", (char*)way, NULL};
    pid_t child;
    if (posix_spawn(&child, self, &actions, NULL, words, environ) == 0) waitpid(child, NULL, 0);
    pthread_join(other, NULL);
    unlink(fifo);
}

static int in_clone(void* unused) {
    (void)unused;
    usleep(kSlow_us);
    say(way);
    _exit(0);
}

static void wait_for(pid_t child) {
    while (waitpid(child, NULL, __WALL) < 0) {
    }
}

static void start(void) {
    static char stack[1 << 16];
    char command[4096];
    pid_t child;
    if (strcmp(way, "system") == 0) {
        snprintf(command, sizeof command, "sleep 0.7; '%s' print system", self);
        if (system(command) != 0) exit(8);
    } else if (strcmp(way, "outside") == 0) {
        if (system("sleep 2") != 0) exit(8);
    } else if (strcmp(way, "wordexp") == 0) {
        snprintf(command, sizeof command, "$(sleep 0.7; '%s' print wordexp)", self);
        wordexp_t words;
        if (wordexp(command, &words, 0) != 0 || words.we_wordc != 1) exit(8);
        puts(words.we_wordv[0]);
    } else if (strcmp(way, "spawn") == 0) {
        spawn();
    } else if (strcmp(way, "vfork") == 0) {
        child = vfork();
        if (child == 0) {
            nanosleep(&(struct timespec){.tv_nsec = 1000L * kSlow_us}, NULL);
            execl(self, self, "print", way, (char*)NULL);
            _exit(1);
        }
        wait_for(child);
    } else if (strcmp(way, "clone") == 0) {
        wait_for(clone(in_clone, stack + sizeof stack, SIGCHLD, NULL));
    } else if (strcmp(way, "clone-vfork") == 0) {
        wait_for(clone(in_clone, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL));
    } else if (strcmp(way, "_Fork") == 0) {
        child = _Fork();
        if (child == 0) _exit(in_clone(NULL));
        wait_for(child);
    }
}

static void* compute(void* starts) {
    if (gimbal_pin_register) gimbal_pin_register(NULL); /* also where the machine is so busy that it hardly runs */
    const time_t end = time(NULL) + kMax_s;
    volatile double sink = 0;
    int placed = 0;
    while (time(NULL) < end && !__atomic_load_n(&over, __ATOMIC_ACQUIRE)) {
        for (int i = 0; i < 200000; ++i) sink = sink + i;
        if (!starts || count() == inherited) continue;
        if (placed++ == 0) {
            start();
            if (strcmp(way, "outside") == 0) return sleep(2) == 0 ? NULL : starts;
            fflush(stdout);
            char command[4096];
            snprintf(command, sizeof command, "'%s' print later", self);
            FILE* const pipe = popen(command, "r");
            char line[64];
            if (fgets(line, sizeof line, pipe) && write(1, line, strlen(line)) < 0) exit(9);
            pclose(pipe);
        } else if (placed > 20) {
            __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
            printf("again=1\n");
        }
    }
    return NULL;
}

int main(int argc, char** argv) {
    if (argc > 2 && strcmp(argv[1], "print") == 0) {
        say(argv[2]);
        return 0;
    }
    self = argv[0];
    way = argc > 1 ? argv[1] : "system";
    inherited = count();
    pthread_t first, second;
    pthread_create(&first, NULL, compute, &over);
    pthread_create(&second, NULL, compute, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 6;
}
