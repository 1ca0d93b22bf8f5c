/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_STEAL_RECORD_H
#define GIMBAL_STEAL_RECORD_H

#include <stdint.h>

/** What one execution of a loop over distributed data did on one rank. */
typedef struct gimbal_steal_record {
    int64_t own;       /**< own items run here [items] */
    int64_t stolen;    /**< items of others run here [items] */
    int64_t given;     /**< own items run elsewhere [items] */
    int64_t attempts;  /**< requests made as a thief [count] */
    int64_t successes; /**< of them that brought items [count] */
    int64_t bytes_in;  /**< received items and results [bytes] */
    int64_t bytes_out; /**< sent items and results [bytes] */
    double busy_s;     /**< running items [s] */
    double waiting_s;  /**< for items, results or the end [s] */
    double ratio;      /**< steal ratio in force, in (0, 1]; 0: a fair share */
} gimbal_steal_record;

#endif
