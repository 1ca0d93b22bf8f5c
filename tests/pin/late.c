/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Preloaded behind libgimbal_pin.so, so that its end comes after that one's: says the least number of processors that
   any thread of the process may use then. */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((destructor)) static void at_the_end(void) {
    DIR* const tasks = opendir("/proc/self/task");
    int least = CPU_SETSIZE;
    for (const struct dirent* task = NULL; tasks && (task = readdir(tasks));) {
        cpu_set_t mask;
        if (task->d_name[0] == '.' || sched_getaffinity(atoi(task->d_name), sizeof mask, &mask) != 0) continue;
        if (CPU_COUNT(&mask) < least) least = CPU_COUNT(&mask);
    }
    char line[32];
    const int length = snprintf(line, sizeof line, "late=%d\n", least);
    if (write(1, line, (size_t)length) < 0) return;
    if (tasks) closedir(tasks);
}
