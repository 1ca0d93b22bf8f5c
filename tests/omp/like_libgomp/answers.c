/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All that a program can ask OpenMP for, and what regions, teams, tasks and
 * locks are like: a line "name answer" for each. */
#include <omp.h>
#include <stdio.h>

static const char* stage = "first";

static void say(const char* name, long long answer) {
    printf("%s.%s %lld\n", stage, name, answer);
}

static void ask(void) {
    omp_sched_t kind;
    int chunk;
    say("max_threads", omp_get_max_threads());
    say("num_procs", omp_get_num_procs());
    say("thread_limit", omp_get_thread_limit());
    say("dynamic", omp_get_dynamic());
    say("nested", omp_get_nested());
    say("max_active_levels", omp_get_max_active_levels());
    say("supported_active_levels", omp_get_supported_active_levels());
    say("cancellation", omp_get_cancellation());
    omp_get_schedule(&kind, &chunk);
    say("schedule", kind & 0x7fffffff);
    say("chunk", chunk);
    say("devices", omp_get_num_devices());
    say("default_device", omp_get_default_device());
    say("initial_device", omp_is_initial_device());
    say("device_num", omp_get_device_num() - omp_get_initial_device());
    say("proc_bind", omp_get_proc_bind());
    say("places", omp_get_num_places());
    say("place", omp_get_place_num());
    say("partition", omp_get_partition_num_places());
    for (int i = 0; i < omp_get_num_places() && i < 4; ++i) say("procs_of_place", omp_get_place_num_procs(i));
    say("max_teams", omp_get_max_teams());
    say("teams_thread_limit", omp_get_teams_thread_limit());
    say("priority", omp_get_max_task_priority());
    say("allocator", omp_get_default_allocator() == omp_default_mem_alloc);
    say("in_parallel", omp_in_parallel());
    say("final", omp_in_final());
    say("level", omp_get_level());
    say("active_level", omp_get_active_level());
    say("thread", omp_get_thread_num());
    say("threads", omp_get_num_threads());
    say("team", omp_get_team_num());
    say("teams", omp_get_num_teams());
    for (int level = -1; level < 4; ++level) {
        say("ancestor", omp_get_ancestor_thread_num(level));
        say("team_size", omp_get_team_size(level));
    }
}

/* Sizes of the teams of three levels of regions, and what one thread hears. */
static void regions(void) {
    int sizes[3] = {0, 0, 0};
#pragma omp parallel
    {
#pragma omp master
        {
            sizes[0] = omp_get_num_threads();
            ask();
#pragma omp parallel
#pragma omp master
            {
                sizes[1] = omp_get_num_threads();
                ask();
#pragma omp parallel
#pragma omp master
                sizes[2] = omp_get_num_threads();
            }
        }
    }
    for (int i = 0; i < 3; ++i) say("size", sizes[i]);
#pragma omp parallel num_threads(5)
#pragma omp master
    sizes[0] = omp_get_num_threads();
    say("five", sizes[0]);
#pragma omp parallel if (0)
    sizes[0] = omp_get_num_threads() + 10 * omp_get_level() + 100 * omp_get_active_level();
    say("no", sizes[0]);
}

/* How many threads each team has libomp decides otherwise. */
static void leagues(void) {
    int teams = 0, largest = 0;
#pragma omp teams reduction(+ : teams) reduction(max : largest)
    {
        teams += 1;
        largest = omp_get_num_teams();
    }
    say("unasked", teams > 0 && largest == teams);
    teams = 0;
#pragma omp teams num_teams(5) thread_limit(2) reduction(+ : teams)
    teams += 1 + 100 * omp_get_num_teams() + 10000 * omp_get_team_num();
    say("five", teams);
}

static void tasks(void) {
    int seen = 0, final = 0, sum = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(1) shared(final, seen)
        {
            final = omp_in_final();
#pragma omp task shared(seen)
            seen = omp_in_final();
        }
#pragma omp taskwait
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 10; ++i)
#pragma omp task in_reduction(+ : sum) priority(i)
            sum += i;
    }
    say("final_task", final);
    say("task_of_final", seen);
    say("sum", sum);
}

static void locks(void) {
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    say("test", omp_test_lock(&lock));
    say("again", omp_test_lock(&lock));
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    say("nest", omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    say("nest_again", omp_test_nest_lock(&nest));
    omp_unset_nest_lock(&nest);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
}

static void schedules(void) {
    static const int kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided,
                                (int)(omp_sched_monotonic | omp_sched_dynamic)};
    static const int chunks[] = {-3, 0, 1, 7};
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        for (unsigned j = 0; j < sizeof(chunks) / sizeof(chunks[0]); ++j) {
            omp_sched_t kind;
            int chunk, inside = 0;
            long sum = 0;
            omp_set_schedule((omp_sched_t)kinds[i], chunks[j]);
            omp_get_schedule(&kind, &chunk);
            say("kind", (unsigned)kind);
            say("chunk", chunk);
#pragma omp parallel for schedule(runtime) reduction(+ : sum) reduction(max : inside)
            for (int k = 0; k < 100; ++k) {
                sum += k;
                omp_get_schedule(&kind, &chunk);
                inside = (int)((unsigned)kind & 7u) * 100 + chunk;
            }
            say("sum", sum);
            say("inside", inside);
        }
}

static void set(void) {
    static const int numbers[] = {-1, 0, 1, 3};
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        const int number = numbers[i];
        int threads = 0;
        omp_set_num_threads(number);
        say("max_threads", omp_get_max_threads());
#pragma omp parallel
#pragma omp master
        threads = omp_get_num_threads();
        say("threads", threads);
        omp_set_num_threads(2);
        omp_set_max_active_levels(number);
        say("levels", omp_get_max_active_levels());
        omp_set_dynamic(number);
        say("dynamic", omp_get_dynamic());
        omp_set_dynamic(0);
        if (number <= 0) continue;
        omp_set_default_device(number);
        say("device", omp_get_default_device());
        omp_set_num_teams(number);
        say("teams", omp_get_max_teams());
        omp_set_teams_thread_limit(number);
        say("teams_threads", omp_get_teams_thread_limit());
    }
}

int main(void) {
    ask();
    stage = "regions";
    regions();
    stage = "teams";
    leagues();
    stage = "tasks";
    tasks();
    stage = "locks";
    locks();
    stage = "schedules";
    schedules();
    stage = "set";
    set();
    return 0;
}
