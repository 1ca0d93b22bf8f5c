// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// first_use CASE: the ranks do not agree when they first use a loop. Exit 0 if every rank that begins a loop gets one
// error, with the same text, that names both sides, and loops that agree still work. `late` and `late-free`: the last
// rank waits for the others, and says so.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"
#include "gimbal/mpi/steal_loop.hpp"

namespace {

using gimbal::mpi::Loop;
using gimbal::mpi::LoopOptions;

int g_rank = 0, g_size = 1;

gimbal::mpi::StealWork work() {
    gimbal::mpi::StealWork work;
    work.run = [](auto, auto) {};
    work.pack = [](auto, auto count, auto& bytes) { bytes.resize(bytes.size() + static_cast<std::size_t>(count)); };
    work.run_stolen = [](int, auto, auto, auto, auto&) {};
    return work;
}

// @return what is said; "" if nothing is
std::string said(const std::function<void()>& call) {
    try {
        call();
    } catch (const gimbal::Error& error) {
        if (error.code() == gimbal::ErrorCode::wrong_use) return error.what();
        return std::string("not wrong_use: ") + error.what();
    }
    return {};
}

std::int64_t drain(const char* name, std::int64_t n, const LoopOptions& options = {}) {
    std::int64_t mine = 0;
    Loop loop(MPI_COMM_WORLD, name, n, options);
    for (const auto chunk : loop) mine += chunk.size();
    loop.leave();
    return mine;
}

void steal(const char* name, gimbal::mpi::StealOptions::Rule rule) {
    gimbal::mpi::StealLoop(MPI_COMM_WORLD, name, 10, work(), {.rule = rule}).run();
}

bool still_works() {
    std::int64_t mine = drain("after", 1000), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all != 1000 && g_rank == 0) std::printf("%lld of 1000 iterations\n", static_cast<long long>(all));
    return all == 1000;
}

// What every rank says is the same and names rank 0, the last rank and what each of them has.
bool same_everywhere(const std::string& text, const std::string& of_first, const std::string& of_last) {
    char first[1024] = {};
    std::snprintf(first, sizeof first, "%s", text.c_str());
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    const std::string last = "rank " + std::to_string(g_size - 1);
    const auto has = [&](const std::string& part) { return text.find(part) != std::string::npos; };
    const bool good = text == first && has("rank 0") && has(last) && has(of_first) && has(of_last);
    if (!good) std::printf("FAILED: rank %d says: \"%s\"\n", g_rank, text.c_str());
    return good;
}

bool run(const std::string& which) {
    const bool last = g_rank == g_size - 1;
    using Rule = gimbal::mpi::StealOptions::Rule;
    if (which == "names")
        return same_everywhere(said([&] { drain(last ? "b" : "a", 1000); }), "\"a\"", "\"b\"") && still_works();
    if (which == "iterations")
        return same_everywhere(said([&] { drain("a", last ? 999 : 1000); }), "1000", "999") && still_works();
    if (which == "schedules")
        return same_everywhere(said([&] { drain("a", 1000, {.schedule = last ? "gss" : "fac2"}); }), "fac2", "gss") &&
               still_works();
    if (which == "invalid-schedule") {  // the last rank hears of its own mistake
        const auto say = [&] { drain("a", 1000, {.schedule = last ? "fac22" : "fac2"}); };
        if (last) return said(say).find("fac22") != std::string::npos && still_works();
        const std::string text = said(say);
        const bool good = text.find("\"fac22\", which is not valid") != std::string::npos;
        if (!good) std::printf("FAILED: rank %d says: \"%s\"\n", g_rank, text.c_str());
        return still_works() && good;
    }
    if (which == "options")
        return same_everywhere(said([&] { drain("a", 1000, {.idempotent = last}); }), "once", "twice") && still_works();
    if (which == "loop-or-steal")
        return same_everywhere(said([&] {
                                   if (last)
                                       steal("a", Rule::nearest);
                                   else
                                       drain("a", 1000);
                               }),
                               "loop \"a\"", "steal loop \"a\"") &&
               still_works();
    if (which == "steal-rules")
        return same_everywhere(said([&] { steal("a", last ? Rule::seed : Rule::nearest); }), "nearest", "seed") &&
               still_works();
    if (which == "settings")  // support/unlike.sh gives the last rank another transport
        return same_everywhere(said([&] { drain("a", 1000); }), "shared", "foreman");
    if (which == "late") {  // the last rank waits for so long that it says so
        if (!last) sleep(15);
        drain("a", 1000);
        return true;
    }
    if (which == "late-free") {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        for (Loop loop(copy, "a", 1000); loop.next();) {
        }
        if (!last) sleep(15);
        MPI_Comm_free(&copy);
        return true;
    }
    // From here on: after the first use. The last rank alone begins something new and hears that when the others end.
    drain("a", 1000);
    if (which == "steal-rule-later" || which == "steal-skipped") steal("a", Rule::nearest);
    const std::string text = said([&] {
        if (which == "schedule-later") drain("a", 1000, last ? LoopOptions{.schedule = "gss"} : LoopOptions{});
        if (which == "name-later" && last) drain("b", 1000);
        if (which == "steal-rule-later" && last) steal("a", Rule::seed);
        if (which == "steal-skipped" && last) steal("a", Rule::nearest);
    });
    const bool good = last == (text.find("MPI_Finalize") != std::string::npos);
    if (!good) std::printf("FAILED: rank %d says: \"%s\"\n", g_rank, text.c_str());
    return good;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &g_size);
    const bool good = run(argc > 1 ? argv[1] : "names");
    MPI_Finalize();
    if (good && g_rank == 0) std::printf("went on to the end\n");
    return good ? 0 : 1;
}
