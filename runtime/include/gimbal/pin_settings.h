/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_PIN_SETTINGS_H
#define GIMBAL_PIN_SETTINGS_H

#include <stdint.h>

#include "gimbal/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @file
 *  What libgimbal_pin.so asks of libgimbal.so: one option table, one report. */

enum { GIMBAL_PIN_OFF = 0, GIMBAL_PIN_LEARN = 1, GIMBAL_PIN_OBSERVE = 2, GIMBAL_PIN_STATIC = 3 };

/** Settings of placement (docs/placement.md). Texts are never NULL and valid until the process ends. */
typedef struct gimbal_pin_settings {
    int mode;            /**< GIMBAL_PIN_*: GIMBAL_PIN */
    uint32_t group;      /**< cores of a thread: GIMBAL_PIN_GROUP */
    double period_s;     /**< between two looks at the threads [s]: GIMBAL_PIN_PERIOD */
    int force;           /**< 1: place threads that somebody has bound: GIMBAL_PIN_FORCE */
    int share;           /**< 1: tell other processes: GIMBAL_PIN_SHARE */
    int strict;          /**< 1: a wrong setting stops the program: GIMBAL_STRICT */
    int rank;            /**< 0 without MPI */
    uint64_t seed;       /**< GIMBAL_SEED */
    const char* nodes;   /**< as written: GIMBAL_PIN_NODES */
    const char* reserve; /**< as written: GIMBAL_PIN_RESERVE */
    const char* metric;  /**< GIMBAL_PIN_METRIC */
    const char* words;   /**< as written: GIMBAL_PIN_SETTINGS */
    const char* trace;   /**< path, placeholders filled in; "": none: GIMBAL_PIN_TRACE */
} gimbal_pin_settings;

/** @param settings  out  @threads any  @cost small */
GIMBAL_API void gimbal_pin_settings_get(gimbal_pin_settings* settings);

/** A setting of placement that libgimbal.so could not judge is wrong: said as every wrong setting is, by rank 0, and
 *  ends the process with status 2; with GIMBAL_STRICT=0 it is a warning, and this returns.
 *  @param name  the variable  @param what  what is wrong  @param hint  what is allowed, or ""
 *  @threads one, while the library is loaded */
GIMBAL_API void gimbal_pin_refuse(const char* name, const char* what, const char* hint);

/** Placement's part of the exit report. The last call counts.
 *  @param json  an object  @param text  lines, each with a line feed  @threads one, before the process ends */
GIMBAL_API void gimbal_pin_report(const char* json, const char* text);

#ifdef __cplusplus
}
#endif
#endif
