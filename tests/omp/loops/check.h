// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What one call of a form is to do.
typedef struct Case {
    const char* form;  ///< name of the form, for messages
    int threads;       ///< team size to ask for [count]
    long n;            ///< trip count to test with [iterations]
    bool quick;        ///< leave out the slow variants
} Case;

/// How often each iteration of one loop ran.
typedef struct Tally {
    const Case* run;         ///< what is being tested
    const char* variant;     ///< which of the form's loops this is, for messages
    long n;                  ///< iterations that may run [iterations]
    atomic_uchar* count;     ///< [n] executions of each iteration [count]
    atomic_long strays;      ///< executions outside the loop [count]
    _Atomic uint64_t stray;  ///< one of their loop values
} Tally;

/// A loop as a program writes it, with its values widened to 64 bits (two's complement).
typedef struct Span {
    uint64_t first;  ///< value of the first iteration
    int64_t step;    ///< signed stride, not 0
} Span;

/// Start counting a loop of n iterations; tally_close releases it.
/// @errors ends the program when memory is short  @threads one
Tally tally_open(const Case* run, const char* variant, long n);

/// Count iteration k, 0 <= k < n; anything else is remembered as a stray.
/// @threads any, relaxed: the tests must not order the runtime's own accesses
void tally_hit(Tally* tally, long k);

/// Count the iteration whose loop variable has this value. A value that is no member of the loop is a stray.
void tally_value(Tally* tally, Span span, uint64_t value);

/// Report every iteration that did not run exactly `times` times, release the tally. @threads one
void tally_close(Tally* tally, int times);

/// As tally_close for a cancelled loop: each iteration at most once, iteration `sure` exactly once (-1: none).
void tally_close_cancelled(Tally* tally, long sure);

/// Report a failure of this case in one line: form, N, threads, schedule, message. @threads any
void case_fail(const Case* run, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Failures reported so far. @threads any
long failures(void);

/// Remember how the schedule under test was chosen, for messages. The string must live on.
void set_schedule_label(const char* label);

/// Keep the calling thread busy for about this long. [s]
void spin_for(double seconds);
