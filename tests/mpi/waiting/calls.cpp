// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of MPI that are left or made in unusual ways, each by its name, run by run_waiting.py.
#include <execinfo.h>
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ranks.h"

namespace {

enum class Reaction { throws, jumps, reduces };
Reaction g_reaction;
jmp_buf g_before;
int g_value = 0, g_sum = 0;

void sum_up() {
    MPI_Allreduce(&g_value, &g_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void react(MPI_Comm*, int*, ...) {
    if (g_reaction == Reaction::throws) throw std::runtime_error("an error of MPI");
    if (g_reaction == Reaction::jumps) std::longjmp(g_before, 1);
    sum_up();
}

void handle_errors(Reaction reaction) {
    MPI_Errhandler handler;
    g_reaction = reaction;
    MPI_Comm_create_errhandler(react, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

/// A call that fails.
void fail(int kind) {
    if (kind == 0) MPI_Send(&g_value, 1, MPI_INT, 999, 0, MPI_COMM_WORLD);
    if (kind == 1) MPI_Bcast(&g_value, 1, MPI_INT, 999, MPI_COMM_WORLD);
    if (kind == 2) MPI_Recv(&g_value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// The first rank is late.
void sum_up_often() {
    for (int i = 0; i < 30; ++i) {
        if (g_rank == 0) compute(2);
        sum_up();
    }
}

void thrown() {
    int caught = 0;
    handle_errors(Reaction::throws);
    for (int i = 0; i < 6; ++i) try {
            fail(i % 3);
        } catch (const std::runtime_error&) {
            ++caught;
        }
    check(caught == 6, "exceptions of a handler of errors");
    sum_up_often();
}

void jumped() {
    handle_errors(Reaction::jumps);
    if (g_rank == 0 && setjmp(g_before) == 0) {
        fail(0);
        check(0, "a handler of errors jumps");
    }
    sum_up_often();
}

void inside() {
    handle_errors(Reaction::reduces);
    if (g_rank == 0)
        fail(0);
    else
        sum_up();
    sum_up_often();
}

#if defined(__x86_64__)
/// Call a function on a stack whose first return addresses lead nowhere.
__attribute__((naked, noinline)) void call_on([[maybe_unused]] void* stack, [[maybe_unused]] void (*function)(),
                                              [[maybe_unused]] std::uintptr_t nowhere) {
    __asm__ volatile(
        "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; mov %rsp,%r12; mov %rdi,%rsp;"
        "push %rdx; push %rdx; mov %rdx,%rbp; call *%rsi; mov %r12,%rsp;"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret");
}

void other_stack() {
    std::vector<char> memory(1 << 18, 'A');
    const auto end = (reinterpret_cast<std::uintptr_t>(memory.data()) + 200000) & ~std::uintptr_t{15};
    call_on(reinterpret_cast<void*>(end), sum_up_often, 0x4141414141414141);
}
#else
void other_stack() {
    sum_up_often();
}
#endif

template <std::size_t>
__attribute__((noinline)) void place() {
    MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

template <std::size_t... numbers>
constexpr auto places(std::index_sequence<numbers...>) {
    return std::array{&place<numbers>...};
}

/// @return processor time of a call, the least of some rounds [ns]
template <class Functions>
double cost_ns(const Functions& functions, int times) {
    double least = 1e9;
    for (int round = 0; round < 30; ++round) {
        timespec begin{}, end{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        for (int i = 0; i < times; ++i)
            for (const auto function : functions) function();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        least = std::min(least, 1e9 * static_cast<double>(end.tv_sec - begin.tv_sec) +
                                    static_cast<double>(end.tv_nsec - begin.tv_nsec));
    }
    return least / times / static_cast<double>(functions.size());
}

void read_stack() {
    std::array<void*, 16> frames{};
    backtrace(frames.data(), static_cast<int>(frames.size()));
}

/// More places than a thread remembers do not cost a reading of the stack at each call.
void many_places() {
    constexpr auto kMany = places(std::make_index_sequence<900>());
    const double one = cost_ns(std::array{&place<0>}, 900), many = cost_ns(kMany, 1);
    const double reading = cost_ns(std::array{&read_stack}, 900);
    std::printf("a call %.0f ns, of many %.0f ns, a reading %.0f ns\n", one, many, reading);
    check(many < one + reading / 2, "a call from one of many places is cheap");
}

void* sum_up_in_thread(void*) {
    sum_up_often();
    return nullptr;
}

void thread() {
    pthread_t other;
    check(pthread_create(&other, nullptr, sum_up_in_thread, nullptr) == 0, "a thread");
    pthread_join(other, nullptr);
}

/// What a rank has open is none of what it found the others by.
void open_files() {
    sum_up();
    for (int number = 0; number < 256; ++number) {
        std::array<char, 256> target{};
        const std::string path = "/proc/self/fd/" + std::to_string(number);
        if (readlink(path.c_str(), target.data(), target.size() - 1) < 0) continue;
        check(std::strstr(target.data(), "gimbal-waiting") == nullptr, "the file of the start is closed");
        unsigned long node = 0;
        if (std::sscanf(target.data(), "socket:[%lu]", &node) != 1) continue;
        const std::string socket = " " + std::to_string(node) + " @gimbal-waiting";
        std::ifstream table("/proc/net/unix");
        for (std::string line; std::getline(table, line);)
            check(line.find(socket) == std::string::npos, "the socket of the start is closed");
    }
}

/// The library says what slack is to be expected, here to the program.
double g_expected = -1;

void expected() {
    sum_up_often();
    check(g_expected >= 0, "slack is expected after collective calls");
    g_expected = 1;
}

struct Case {
    const char* name;
    void (*run)();
    int threads;
};
constexpr std::array kCases{
    Case{"thrown", thrown, MPI_THREAD_SINGLE},           Case{"jumped", jumped, MPI_THREAD_SINGLE},
    Case{"inside", inside, MPI_THREAD_SINGLE},           Case{"other-stack", other_stack, MPI_THREAD_SINGLE},
    Case{"open-files", open_files, MPI_THREAD_SINGLE},   Case{"expected", expected, MPI_THREAD_SINGLE},
    Case{"many-places", many_places, MPI_THREAD_SINGLE}, Case{"thread", thread, MPI_THREAD_SERIALIZED},
    Case{"thread-multiple", thread, MPI_THREAD_MULTIPLE}};

}  // namespace

// Before libgimbal.so's.
extern "C" __attribute__((visibility("default"))) void gimbal_rank_waiting_expect(double slack_s) {
    g_expected = slack_s;
}

int main(int count, char** words) {
    const char* const what = count > 1 ? words[1] : "";
    for (const Case& one : kCases) {
        if (std::strcmp(what, one.name) != 0) continue;
        int given = 0;
        MPI_Init_thread(&count, &words, one.threads, &given);
        MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
        MPI_Comm_size(MPI_COMM_WORLD, &g_size);
        one.run();
        std::printf("rank %d of %d: %s right\n", g_rank, g_size, what);
        MPI_Finalize();
    }
    return g_expected > 0 ? 3 : 0;
}
