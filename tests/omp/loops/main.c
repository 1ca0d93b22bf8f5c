// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every form of loop under the schedule that the environment chooses and checks that each iteration ran exactly
// once. Environment: OMP_SCHEDULE and GIMBAL_SCHEDULE are read for messages only.
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forms.h"

static const FormTable* const kTables[] = {
    &kHugeForms,     &kBasicForms,  &kBoundsForms, &kCollapseForms, &kNowaitForms, &kNestedForms,      &kOrderedForms,
    &kDoacrossForms, &kCancelForms, &kClauseForms, &kSimdForms,     &kOrphanForms, &kScheduleApiForms, &kTeamForms,
};
static const long kTrips[] = {0, 1, 2, 3, 7, 1000};
static const int kThreads[] = {1, 2, 3, 8};
static const long kBigTrip = 1000003;

enum { kUsageError = 2, kTableCount = sizeof kTables / sizeof kTables[0], kSecondsPerForm = 300 };

typedef struct Options {
    bool quick;
    bool gimbal;
    bool all;
    bool list;
    unsigned threads;   // bit t: teams of t threads; 0: all of kThreads
    const char** only;  // names of the chosen forms
    int only_count;     // 0: all
} Options;

static Case current;

// A form that hangs must name itself: the runner sees only the end of the program.
static void on_alarm(int signal_number) {
    (void)signal_number;
    static const char kText[] = ": hangs\n";
    ssize_t ignored = write(STDOUT_FILENO, "FAIL ", 5);
    ignored = write(STDOUT_FILENO, current.form, strlen(current.form));
    char where[] = " threads=0";
    where[sizeof where - 2] = (char)('0' + current.threads);
    ignored = write(STDOUT_FILENO, where, sizeof where - 1);
    ignored = write(STDOUT_FILENO, kText, sizeof kText - 1);
    (void)ignored;
    _exit(1);
}

static bool chosen(const Options* options, const Form* form) {
    for (int k = 0; k < options->only_count; k++) {
        if (strcmp(options->only[k], form->name) == 0) return true;
    }
    if (options->only_count > 0) return false;
    if ((form->flags & kRepaired) && !options->gimbal) return false;
    return !(form->flags & kUnrepaired) || options->all;
}

static long run_case(const Form* form, int threads, long n, bool quick) {
    current = (Case){.form = form->name, .threads = threads, .n = n, .quick = quick};
    form->run(&current);
    return 1;
}

static long run_form(const Form* form, const Options* options) {
    long cases = 0;
    alarm(kSecondsPerForm);
    for (size_t t = 0; t < sizeof kThreads / sizeof kThreads[0]; t++) {
        const int threads = kThreads[t];
        if (options->threads && !(options->threads >> threads & 1)) continue;
        if (threads == 1 && (form->flags & kTeamOnly) && !options->all) continue;
        if (!(form->flags & kEachN)) {
            cases += run_case(form, threads, 1000, options->quick);
            continue;
        }
        for (size_t k = 0; k < sizeof kTrips / sizeof kTrips[0]; k++) {
            cases += run_case(form, threads, kTrips[k], options->quick);
        }
        // A million iterations once is enough where time is short: the small trips are where the corners are.
        if ((form->flags & kBig) && !options->quick) cases += run_case(form, threads, kBigTrip, false);
    }
    alarm(0);
    return cases;
}

static int usage(const char* argument) {
    fprintf(stderr,
            "loops: unknown argument \"%s\"\n"
            "usage: loops [--quick] [--gimbal | --all] [--threads 1|2|3|8]... [--list] [form ...]\n"
            "  --gimbal  also the forms that libomp 19.1.7 fails and Gimbal repairs\n"
            "  --all     every form: what a correct runtime passes\n",
            argument);
    return kUsageError;
}

static const Form* find_form(const char* name) {
    for (int t = 0; t < kTableCount; t++) {
        for (size_t k = 0; k < kTables[t]->count; k++) {
            if (strcmp(kTables[t]->forms[k].name, name) == 0) return &kTables[t]->forms[k];
        }
    }
    return NULL;
}

static int parse(int argc, char** argv, Options* options) {
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--quick") == 0) {
            options->quick = true;
        } else if (strcmp(argv[k], "--gimbal") == 0) {
            options->gimbal = true;
        } else if (strcmp(argv[k], "--all") == 0) {
            options->gimbal = options->all = true;
        } else if (strcmp(argv[k], "--list") == 0) {
            options->list = true;
        } else if (strcmp(argv[k], "--threads") == 0 && k + 1 < argc) {
            const int threads = atoi(argv[++k]);
            if (threads < 1 || threads > 8) return usage(argv[k]);
            options->threads |= 1u << threads;
        } else if (find_form(argv[k])) {
            options->only[options->only_count++] = argv[k];
        } else {
            return usage(argv[k]);
        }
    }
    return 0;
}

static const char* label(void) {
    static char text[200];
    const char* const schedule = getenv("OMP_SCHEDULE");
    const char* const technique = getenv("GIMBAL_SCHEDULE");
    snprintf(text, sizeof text, "%s%s%s", schedule ? schedule : "default", technique ? "/" : "",
             technique ? technique : "");
    return text;
}

int main(int argc, char** argv) {
    Options options = {.only = malloc(sizeof(char*) * (size_t)argc)};
    const int error = parse(argc, argv, &options);
    if (error) return error;
    set_schedule_label(label());
    signal(SIGALRM, on_alarm);
    long forms = 0;
    long cases = 0;
    bool started = false;
    for (int t = 0; t < kTableCount; t++) {
        for (size_t k = 0; k < kTables[t]->count; k++) {
            const Form* const form = &kTables[t]->forms[k];
            if (!chosen(&options, form)) continue;
            forms++;
            if (options.list) {
                printf("%s\n", form->name);
                continue;
            }
            if (!(form->flags & kFirst) && !started) {
                omp_set_dynamic(0);
                omp_set_max_active_levels(4);
                started = true;
            }
            cases += run_form(form, &options);
        }
    }
    if (!options.list) {
        printf("loops: %ld forms, %ld cases, %ld failures, schedule %s\n", forms, cases, failures(), label());
    }
    free(options.only);
    return failures() ? 1 : 0;
}
