// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "check.h"

/// Properties of a form. Every form is legal OpenMP and libgomp passes all of them; the last three name defects of
/// libomp 19.1.7 that the README describes.
enum {
    kEachN = 1,        ///< called for every N of the list, else once per thread count
    kBig = 2,          ///< also called with N = 10^6 + 3
    kFirst = 4,        ///< must run while the process has no OpenMP threads: it forks
    kRepaired = 8,     ///< Gimbal's hook repairs it: run with --gimbal and --all
    kTeamOnly = 16,    ///< fails in teams of one thread: these are run with --all
    kUnrepaired = 32,  ///< fails: run with --all
#ifdef __clang__
    kGnuTeamOnly = 0,
    kGnuUnrepaired = 0
#else
    kGnuTeamOnly = kTeamOnly,     ///< kTeamOnly in gcc's programs
    kGnuUnrepaired = kUnrepaired  ///< kUnrepaired in gcc's programs
#endif
};

/// One way of writing loops, with its checks. `run` reports through case_fail.
typedef struct Form {
    const char* name;
    void (*run)(const Case* run);
    unsigned flags;
} Form;

/// The forms of one file.
typedef struct FormTable {
    const Form* forms;
    size_t count;
} FormTable;

/// Define the table that a file of forms exports from its array of forms.
#define FORM_TABLE(table_name, forms_array) \
    const FormTable table_name = {forms_array, sizeof(forms_array) / sizeof((forms_array)[0])}

extern const FormTable kHugeForms, kBasicForms, kBoundsForms, kCollapseForms, kNowaitForms, kNestedForms, kOrderedForms,
    kDoacrossForms, kCancelForms, kClauseForms, kSimdForms, kOrphanForms, kScheduleApiForms, kTeamForms;
