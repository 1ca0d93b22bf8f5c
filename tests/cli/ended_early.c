/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program with loops, of teams of two that one thread plays, which then ends in one of the ways that programs are
 * ended. Before, it waits until the record of these loops has been written, if WAIT names the file; under `gimbal run`
 * rank 0 waits for the records of all.
 * `inside` it is killed in one more loop, whose threads have not left when the record is written; of `half` one has.
 * By `exec` it becomes another program.
 * usage: ended_early HOW [LOOPS [PROGRAM ARGUMENT...]]; WAIT=file (blank: none) */
#include <glob.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gimbal/loop.h"

static gimbal_share shares[2];

static void enter_loop(void) {
    gimbal_loop_desc desc = {.code = (const void*)0x10,
                             .source = ";solver.c;sweep;42;9;;",
                             .trip = 100,
                             .unit = 1,
                             .workers = 2,
                             .schedule = gimbal_schedule_parse("fac2")};
    void* execution = gimbal_loop_open(&desc);
    memset(shares, 0, sizeof shares);
    for (uint32_t i = 0; i < 2; ++i) gimbal_loop_begin(execution, i, &shares[i]);
}

static void run_loop(void) {
    enter_loop();
    uint64_t first, end;
    for (uint32_t i = 0; i < 2; ++i)
        while (gimbal_loop_next(&shares[i], &first, &end)) continue;
    for (uint32_t i = 0; i < 2; ++i) gimbal_loop_end(&shares[i]);
}

static int holds(const char* path, const char* text) {
    char buffer[65536];
    FILE* file = fopen(path, "r");
    if (!file) return 0;
    buffer[fread(buffer, 1, sizeof buffer - 1, file)] = '\0';
    fclose(file);
    return strstr(buffer, text) != NULL;
}

static void wait_for_record(const char* pattern, const char* text) {
    for (int tries = 0; tries < 12000; ++tries) {
        glob_t found;
        int there = glob(pattern, 0, NULL, &found) == 0;
        for (size_t i = 0; there && i < found.gl_pathc; ++i)
            if (holds(found.gl_pathv[i], text)) return;
        if (there) globfree(&found);
        usleep(10000);
    }
    fputs("no record was written\n", stderr);
    _exit(99);
}

/* Of each rank, or of the only process. */
static void wait_for_records(const char* text) {
    const char* rank = getenv("PMI_RANK");
    const char* wait = getenv("WAIT");
    for (int i = 0; wait && *wait && i < (rank ? atoi(getenv("PMI_SIZE")) : 1); ++i) {
        const char* folder = getenv("GIMBAL_RUN_DIR");
        char name[256], pattern[4096];
        snprintf(name, sizeof name, rank ? "record-%d-*.json" : "record-*.json", i);
        snprintf(pattern, sizeof pattern, "%s%s%s", folder ? folder : "", folder ? "/" : "", folder ? name : wait);
        wait_for_record(pattern, text);
    }
}

static void on_signal(int number) {
    (void)number;
    exit(7);
}

static void show_signals(void) {
    char line[256];
    FILE* file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "Sig", 3) == 0) fputs(line, stdout);
    if (file) fclose(file);
    fflush(stdout);
}

static void show_threads(void) {
    glob_t found;
    usleep(300000); /* a thread that is to come has come */
    if (glob("/proc/self/task/*", 0, NULL, &found) == 0) printf("%zu\n", found.gl_pathc);
}

int main(int argc, char** argv) {
    const char* how = argc > 1 ? argv[1] : "exit";
    const char* rank = getenv("PMI_RANK");
    char calls[64];
    int loops = argc > 2 ? atoi(argv[2]) : 10;
    for (int i = 0; i < loops; ++i) run_loop();
    if (rank && strcmp(rank, "0") != 0) pause(); /* until the launcher ends those that are left */
    snprintf(calls, sizeof calls, "\"calls\": %d", loops);
    if (loops > 0) wait_for_records(calls);
    if (strcmp(how, "inside") == 0 || strcmp(how, "half") == 0) {
        enter_loop();
        if (strcmp(how, "half") == 0) gimbal_loop_end(&shares[0]); /* nowait */
        wait_for_records("\"unfinished\"");
        raise(SIGKILL);
    }
    if (strcmp(how, "signals") == 0) show_signals();
    if (strcmp(how, "threads") == 0) show_threads();
    if (strcmp(how, "exec") == 0) execvp(argv[3], &argv[3]);
    if (strcmp(how, "_exit") == 0) _exit(3);
    if (strcmp(how, "quick_exit") == 0) quick_exit(4);
    if (strcmp(how, "abort") == 0) abort();
    if (strcmp(how, "crash") == 0) *(volatile int*)8 = 1;
    if (strcmp(how, "pause") == 0) pause();
    if (strcmp(how, "stubborn") == 0) {
        signal(SIGTERM, SIG_IGN);
        FILE* ready = fopen("ready", "w");
        if (ready) fclose(ready);
        for (;;) pause();
    }
    if (strcmp(how, "handler") == 0) {
        signal(SIGTERM, on_signal);
        raise(SIGTERM);
    }
    if (strcmp(how, "nobody") == 0 && setuid(65534) != 0) return 1;
    if (atoi(how) > 0) raise(atoi(how));
    return 0;
}
