// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kind of loop under many schedules, which take turns of BURST steps in one process, in a new random order in every
// round. Each has its own copy of the kind's library: own code addresses and own data.
//
// usage: wild LIBRARY STEPS BURST PRUNE SEED SCHEDULE...
//   SCHEDULE: one that omp_set_schedule() knows, like static, dynamic,16; or gimbal:NAME with a technique or selector
//   of Gimbal's (gimbal:runtime is what the user's settings or the default say). A leading + keeps it from being
//   pruned: after PRUNE steps (0: never) schedules that have taken more than 1.3 times the best one's time are left
//   out, and those of more than 3 times after a fifth of that, at least 10.
//
// Prints one line of JSON: per schedule the time of every turn [ns] and, where a thread was interrupted meanwhile, for
// how long a thread of the team did not run [ns], the CPU time of Gimbal's own thread left out: a disturbance by
// others. Exit status: 0; 1 when checksums differ; 2 on wrong arguments; 3 when something cannot be loaded
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "../dispatch/measure.h"

extern void omp_set_schedule(int kind, int chunk);
extern void omp_get_schedule(int* kind, int* chunk);
extern int omp_get_max_threads(void);

enum { kMaxSchedules = 64, kMaxThreads = 256 };

struct contender {
    const char* name;
    int kind, chunk;
    int kept;    // never pruned
    int pruned;  // out of the race
    long turns;
    double* ns;    // [turns] time of the turn
    double* late;  // [turns] time that threads of the team wanted to run and did not [ns]
    double (*unit)(void);
    void (*create)(int, double);
    void (*run)(long, long);
    uint64_t (*sum)(void);
    double (*error)(void);     // NULL, or what must be at most 1 at the end
    double (*timed_ns)(void);  // NULL, or what of the last run counts [ns]
};

static struct contender contenders[kMaxSchedules];
static int contender_count;
static clockid_t clocks[kMaxThreads];
static int threads;

static void fail(int status, const char* what, const char* which) {
    fprintf(stderr, "wild: %s: %s\n", what, which);
    exit(status);
}

/// A runtime that does not know a schedule takes another one: the race would be void.
static void confirm(const struct contender* one) {
    int kind, chunk;
    omp_set_schedule(one->kind, one->chunk);
    omp_get_schedule(&kind, &chunk);
    if ((kind & 0x7fffffff) != one->kind) fail(3, "this runtime does not take the schedule", one->name);
}

/// The functions are those of <gimbal/loop.h>, found in the process.
static void read_gimbal_schedule(struct contender* one, const char* name) {
    int (*parse)(const char*) = (int (*)(const char*))dlsym(RTLD_DEFAULT, "gimbal_schedule_parse");
    int (*get)(int, int*) = (int (*)(int, int*))dlsym(RTLD_DEFAULT, "gimbal_schedule_kind");
    int (*set)(int, int) = (int (*)(int, int))dlsym(RTLD_DEFAULT, "gimbal_schedule_set");
    void (*print)(int, char*, size_t) = (void (*)(int, char*, size_t))dlsym(RTLD_DEFAULT, "gimbal_schedule_print");
    if (!parse || !get || !set || !print) fail(3, "no Gimbal in this process", one->name);
    const int schedule = parse(name);
    if (schedule > 0) {
        one->kind = get(schedule, &one->chunk);
        return;
    }
    // static and guided alone mean OpenMP's own: look which kind spells its schedule so.
    for (int kind = 0x201; kind < 0x300; ++kind) {
        char text[64] = "";
        if (set(kind, 0) > 0) print(set(kind, 0), text, sizeof text);
        if (strcmp(text, name) == 0) {
            one->kind = kind;
            return;
        }
    }
    fail(2, "no schedule of Gimbal's", one->name);
}

/// Sets kind and chunk of a contender from its name.
static void read_schedule(struct contender* one) {
    static const char* const stock[] = {"static", "dynamic", "guided"};
    if (strncmp(one->name, "gimbal:", 7) == 0) {
        read_gimbal_schedule(one, one->name + 7);
        return;
    }
    const size_t length = strcspn(one->name, ",");
    for (int k = 0; k < 3; ++k)
        if (strlen(stock[k]) == length && strncmp(stock[k], one->name, length) == 0) one->kind = k + 1;
    if (one->kind == 0) fail(2, "no such schedule", one->name);
    one->chunk = one->name[length] == ',' ? atoi(one->name + length + 1) : 0;
}

/// Loads a copy of the library that is nobody else's: the loader knows files by inode.
static void load(struct contender* one, const char* library) {
    char command[3 * PATH_MAX], copy[] = "/tmp/gimbal-wild-XXXXXX";
    const int file = mkstemp(copy);
    if (file < 0) fail(3, "cannot make a file", copy);
    close(file);
    snprintf(command, sizeof command, "cp '%s' '%s'", library, copy);
    if (system(command) != 0) fail(3, "cannot copy", library);
    void* handle = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    unlink(copy);
    if (handle == NULL) fail(3, "cannot load", dlerror());
    one->unit = (double (*)(void))dlsym(handle, "wild_unit");
    one->create = (void (*)(int, double))dlsym(handle, "wild_create");
    one->run = (void (*)(long, long))dlsym(handle, "wild_run");
    one->sum = (uint64_t(*)(void))dlsym(handle, "wild_sum");
    one->error = (double (*)(void))dlsym(handle, "wild_error");
    one->timed_ns = (double (*)(void))dlsym(handle, "wild_timed_ns");
    if (!one->unit || !one->create || !one->run || !one->sum) fail(3, "not a kind of loop", library);
}

static double clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/// CPU time of the thread in which Gimbal predicts [ns]; 0 if there is none.
static double select_thread_ns(void) {
    double ns = 0;
    DIR* folder = opendir("/proc/self/task");
    for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char path[PATH_MAX], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE* file = fopen(path, "r");
        if (file == NULL) continue;
        const int is_it = fgets(name, sizeof name, file) != NULL && strcmp(name, "gimbal-select\n") == 0;
        fclose(file);
        // The kernel's number for the CPU clock of a thread, as pthread_getcpuclockid() makes it.
        if (is_it) ns += clock_ns((clockid_t)(~(unsigned)atoi(entry->d_name) << 3 | 6));
    }
    if (folder != NULL) closedir(folder);
    return ns;
}

/// How often a thread of this process had to give its core away although it could have gone on.
static long interruptions(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

static void take_turn(struct contender* one, long first, long count) {
    double cpu[kMaxThreads];
    omp_set_schedule(one->kind, one->chunk);
    // Since the last turn began: who was interrupted at its end may not be back yet.
    static long at_last_turn;
    const long interrupted = at_last_turn;
    at_last_turn = interruptions();
    double everybody = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (int k = 0; k < threads; ++k) cpu[k] = clock_ns(clocks[k]);
    const int64_t outer = now_ns(), begin = now_ns();
    one->run(first, count);
    const double ns = (double)(now_ns() - begin);
    double worst = 0, team = 0;
    for (int k = 0; k < threads; ++k) {
        const double mine = clock_ns(clocks[k]) - cpu[k];
        const double late = (double)(now_ns() - outer) - mine;
        worst = late > worst ? late : worst;
        team += mine;
    }
    // Gimbal's own thread takes its time from the team: that is a cost of the schedule and no disturbance.
    everybody = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - everybody - team;
    worst -= everybody > 0 ? everybody : 0;
    // A thread that sleeps of its own will, waiting for others, is not late.
    if (interruptions() == interrupted || worst < 0) worst = 0;
    one->ns[one->turns] = one->timed_ns != NULL ? one->timed_ns() : ns;
    one->late[one->turns++] = worst;
}

/// Mean time of the turns that were not disturbed [ns]; of all if they all were.
static double mean_ns(const struct contender* one) {
    double sum = 0, all = 0;
    long count = 0;
    for (long t = 0; t < one->turns; ++t) {
        all += one->ns[t];
        if (one->late[t] > 0.03 * one->ns[t]) continue;
        sum += one->ns[t];
        ++count;
    }
    return count > 0 ? sum / (double)count : all / (double)(one->turns > 0 ? one->turns : 1);
}

/// Ends the program unless all that still take part have the same result, and a right one.
static void check(void) {
    const struct contender* first = NULL;
    for (int k = 0; k < contender_count; ++k) {
        const struct contender* one = &contenders[k];
        if (one->pruned) continue;
        first = first != NULL ? first : one;
        if (one->sum() != first->sum()) fail(1, "checksum differs from the first schedule's", one->name);
        if (one->error != NULL && !(one->error() <= 1)) fail(1, "the result is wrong", one->name);
    }
}

/// Leaves out what takes more than `limit` times as long as the best one.
static void prune(double limit) {
    check();
    double best = 1e300;
    for (int k = 0; k < contender_count; ++k) {
        const double mean = mean_ns(&contenders[k]);
        best = !contenders[k].pruned && mean < best ? mean : best;
    }
    for (int k = 0; k < contender_count; ++k)
        if (!contenders[k].kept && mean_ns(&contenders[k]) > limit * best) contenders[k].pruned = 1;
}

static void race(long steps, long burst, long prune_at, unsigned seed) {
    int order[kMaxSchedules];
    for (int k = 0; k < contender_count; ++k) order[k] = k;
    const long first_prune = prune_at / 5 > 10 ? prune_at / 5 / burst * burst : 10 / burst * burst;
    for (long step = 0; step < steps; step += burst) {
        if (prune_at > 0 && step == first_prune) prune(3);
        if (prune_at > 0 && step == prune_at) prune(1.3);
        // The first round has the order of the command line: what the first loop of Gimbal's starts, auto pays for.
        for (int k = step > 0 ? contender_count - 1 : 0; k > 0; --k) {
            const int other = (int)(rand_r(&seed) % (unsigned)(k + 1)), mine = order[k];
            order[k] = order[other];
            order[other] = mine;
        }
        for (int k = 0; k < contender_count; ++k)
            if (!contenders[order[k]].pruned) take_turn(&contenders[order[k]], step, burst);
    }
}

/// select_ns: CPU time of Gimbal's background thread meanwhile [ns]
static void print_results(double wall_ns, double select_ns) {
    printf("{\"threads\":%d,\"wall_ns\":%.0f,\"select_ns\":%.0f", threads, wall_ns, select_ns);
    print_runtime();
    printf(",\"schedules\":{");
    for (int k = 0; k < contender_count; ++k) {
        const struct contender* one = &contenders[k];
        printf("%s\"%s\":{\"sum\":\"%016llx\",\"ns\":[", k ? "," : "", one->name, (unsigned long long)one->sum());
        for (long t = 0; t < one->turns; ++t) printf("%s%.0f", t ? "," : "", one->ns[t]);
        printf("],\"late\":[");
        for (long t = 0; t < one->turns; ++t) printf("%s%.0f", t ? "," : "", one->late[t]);
        printf("]}");
    }
    printf("}}\n");
}

/// What a process pays once for any schedule of libomp's is paid before the race, on a copy that does not take part.
static void warm_up(const char* library, double unit_ns) {
    struct contender nobody = {.name = "nobody"};
    load(&nobody, library);
    nobody.create(threads, unit_ns);
    for (int kind = 1; kind <= 3; ++kind) {
        omp_set_schedule(kind, 0);
        const int64_t begin = now_ns();
        for (long step = 0; step < 10 && now_ns() - begin < 20000000; ++step) nobody.run(step, 1);
    }
}

int main(int argc, char** argv) {
    const long steps = argc > 6 ? atol(argv[2]) : 0, burst = argc > 6 ? atol(argv[3]) : 0;
    if (steps < 1 || burst < 1 || steps % burst != 0 || argc > 6 + kMaxSchedules)
        fail(2, "usage", "wild LIBRARY STEPS BURST PRUNE SEED SCHEDULE...   (STEPS a multiple of BURST)");
    contender_count = argc - 6;
    threads = omp_get_max_threads();
    if (threads > kMaxThreads) fail(2, "too many threads", "at most 256");
#pragma omp parallel num_threads(threads)
    {
        bind_thread(omp_get_thread_num());
        pthread_getcpuclockid(pthread_self(), &clocks[omp_get_thread_num()]);
    }
    double unit_ns = 0;
    for (int k = 0; k < contender_count; ++k) {
        struct contender* one = &contenders[k];
        one->kept = argv[k + 6][0] == '+';
        one->name = argv[k + 6] + one->kept;
        one->ns = calloc((size_t)(steps / burst), sizeof(double));
        one->late = calloc((size_t)(steps / burst), sizeof(double));
        read_schedule(one);
        confirm(one);
        load(one, argv[1]);
        if (k == 0) unit_ns = one->unit();
        one->create(threads, unit_ns);
    }
    warm_up(argv[1], unit_ns);
    const int64_t begin = now_ns();
    const double selecting = select_thread_ns();
    race(steps, burst, atol(argv[4]), (unsigned)atoi(argv[5]));
    const double wall_ns = (double)(now_ns() - begin);
    print_results(wall_ns, select_thread_ns() - selecting);
    check();
    return 0;
}
