/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A stranger's threads, which say what they do if there is anybody to tell. */
#include <gimbal/pin.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static void* work(void* name) {
    if (gimbal_pin_register) gimbal_pin_register(name);
    volatile double sink = 0;
    const time_t end = time(NULL) + 2;
    while (time(NULL) < end) {
        for (int i = 0; i < 100000; ++i) sink = sink + i;
        if (gimbal_pin_progress) gimbal_pin_progress(1);
    }
    return NULL;
}

int main(void) {
    pthread_t one, other;
    if (pthread_create(&one, NULL, work, "one") != 0 || pthread_create(&other, NULL, work, "other") != 0) return 1;
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("placement %s\n", gimbal_pin_progress ? "is there" : "is not there");
    return 0;
}
