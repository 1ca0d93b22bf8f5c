/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The adapter: libgimbal's functions in the shape of the schedule hook. Linked
 * into the patched libomp.so. */
#include "schedule_hook.h"

static const gimbal_schedule_hook hook = {
    .version = GIMBAL_HOOK_VERSION,
    .size = sizeof(gimbal_schedule_hook),
    .parse = gimbal_schedule_parse,
    .kind = gimbal_schedule_kind,
    .set = gimbal_schedule_set,
    .print = gimbal_schedule_print,
    .modifier = gimbal_schedule_modifier,
    .open = gimbal_loop_open,
    .begin = gimbal_loop_begin,
    .next = gimbal_loop_next,
    .end = gimbal_loop_end,
    .drop = gimbal_loop_drop,
    .rules = gimbal_loop_rules,
    .named = gimbal_loop_named,
    .lending = gimbal_lending,
    .waiter = gimbal_waiter_mine,
    .wait_for = gimbal_wait_for,
    .arrived = gimbal_waiter_arrived,
    .home = gimbal_waiter_home,
};

/* The patched runtime's thread-local state (kmp_schedule_hook.h); defined here
 * so that no file of LLVM's need grow. */
#define HOOK_TLS __thread __attribute__((tls_model("initial-exec")))
HOOK_TLS gimbal_share *__kmp_hook_share;
HOOK_TLS const void *__kmp_hook_site;
__attribute__((visibility("hidden"))) int __kmp_hook_used;
int __kmp_hook_cancelled;
int __kmp_hook_rules;
int __kmp_hook_lending;
const char __kmp_hook_gnu_source[] = ";unknown;unknown;0;0;;";

const gimbal_schedule_hook *gimbal_schedule_hook_get(void) { return &hook; }
