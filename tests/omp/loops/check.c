// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMessagesPerForm = 4 };

static pthread_mutex_t message_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long failure_count;
static const char* schedule_label = "default";

Tally tally_open(const Case* run, const char* variant, long n) {
    atomic_uchar* const count = calloc(n > 0 ? (size_t)n : 1, sizeof *count);
    if (!count) {
        fprintf(stderr, "loops: no memory for %ld counters\n", n);
        exit(1);
    }
    return (Tally){.run = run, .variant = variant, .n = n, .count = count};
}

void tally_hit(Tally* tally, long k) {
    if (k < 0 || k >= tally->n) {
        atomic_store_explicit(&tally->stray, (uint64_t)k, memory_order_relaxed);
        atomic_fetch_add_explicit(&tally->strays, 1, memory_order_relaxed);
        return;
    }
    atomic_fetch_add_explicit(&tally->count[k], 1, memory_order_relaxed);
}

void tally_value(Tally* tally, Span span, uint64_t value) {
    const uint64_t distance = span.step > 0 ? value - span.first : span.first - value;
    const uint64_t width = span.step > 0 ? (uint64_t)span.step : 0 - (uint64_t)span.step;
    if (distance % width != 0 || distance / width >= (uint64_t)tally->n) {
        atomic_store_explicit(&tally->stray, value, memory_order_relaxed);
        atomic_fetch_add_explicit(&tally->strays, 1, memory_order_relaxed);
        return;
    }
    tally_hit(tally, (long)(distance / width));
}

static void close_strays(Tally* tally) {
    if (tally->strays > 0) {
        case_fail(tally->run, "%s: %ld executions outside the loop of %ld, one with loop value %lld", tally->variant,
                  tally->strays, tally->n, (long long)tally->stray);
    }
    free(tally->count);
    tally->count = NULL;
}

void tally_close(Tally* tally, int times) {
    long wrong = 0;
    long first = -1;
    for (long k = 0; k < tally->n; k++) {
        if (tally->count[k] == times) continue;
        if (wrong++ == 0) first = k;
    }
    if (wrong > 0) {
        case_fail(tally->run, "%s: iteration %ld ran %d times, expected %d (%ld of %ld iterations are wrong)",
                  tally->variant, first, tally->count[first], times, wrong, tally->n);
    }
    close_strays(tally);
}

void tally_close_cancelled(Tally* tally, long sure) {
    for (long k = 0; k < tally->n; k++) {
        if (tally->count[k] <= 1 && !(k == sure && tally->count[k] == 0)) continue;
        case_fail(tally->run, "%s: iteration %ld of a cancelled loop ran %d times", tally->variant, k, tally->count[k]);
        break;
    }
    close_strays(tally);
}

void case_fail(const Case* run, const char* format, ...) {
    static const char* form;
    static int messages;
    pthread_mutex_lock(&message_lock);
    failure_count++;
    if (form != run->form) {
        form = run->form;
        messages = 0;
    }
    if (messages++ < kMessagesPerForm) {
        va_list arguments;
        va_start(arguments, format);
        printf("FAIL %s N=%ld threads=%d schedule=%s: ", run->form, run->n, run->threads, schedule_label);
        vprintf(format, arguments);
        printf("\n");
        va_end(arguments);
        fflush(stdout);
    }
    pthread_mutex_unlock(&message_lock);
}

long failures(void) {
    return failure_count;
}

void set_schedule_label(const char* label) {
    schedule_label = label;
}

void spin_for(double seconds) {
    struct timespec begin;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < seconds);
}
