/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A C program that runs a loop through the installed C interface; exits with 0 if every iteration ran once. */
#include <gimbal/loop.h>
#include <stdio.h>

int main(void) {
    gimbal_loop_desc desc = {0};
    desc.code = (const void*)main;
    desc.trip = 1000;
    desc.unit = 1;
    desc.workers = 1;
    desc.schedule = gimbal_schedule_parse("fac2");
    void* const execution = gimbal_loop_open(&desc);
    gimbal_share share = {0};
    gimbal_loop_begin(execution, 0, &share);
    uint64_t first, end, covered = 0;
    while (gimbal_loop_next(&share, &first, &end)) covered += end - first;
    const int closed = gimbal_loop_end(&share);
    printf("covered %llu\n", (unsigned long long)covered);
    return closed == 1 && covered == 1000 ? 0 : 1;
}
