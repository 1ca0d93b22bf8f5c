// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the tests of a program on all simulated ranks together, one after the other.
//
//   PROGRAM [WORD | -WORD]...   tests whose names hold a WORD; not those that hold a -WORD
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string_view>

#include "gimbal/per_rank.hpp"
#include "gtest/gtest.h"

namespace testing {

namespace {

constexpr int kMaxSaid = 5;  // failures of one test that a rank prints

std::vector<Entry>& all_tests() {
    static auto* const all = new std::vector<Entry>;
    return *all;
}

struct Pattern {
    std::string suite;
    std::string name;
    std::function<std::unique_ptr<Test>()> make;
};
std::vector<Pattern>& all_patterns() {
    static auto* const all = new std::vector<Pattern>;
    return *all;
}

/// What one rank is in.
struct Running {
    const Entry* test = nullptr;
    int failures = 0;
    bool skipped = false;
    std::string why;
    std::vector<std::string> traces;
};

Running& running() {
    static gimbal::PerRank<Running> of_this_rank;
    return of_this_rank.here();
}

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

bool chosen(const std::string& name, int argc, char** argv) {
    bool any = false, found = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word(argv[i]);
        if (word.starts_with('-')) {
            if (name.find(word.substr(1)) != std::string::npos) return false;
        } else {
            any = true;
            found |= name.find(word) != std::string::npos;
        }
    }
    return found || !any;
}

// @return whether it failed on any rank
bool failed_anywhere(const Entry& entry) {
    Running& own = running();
    own = {};
    own.test = &entry;
    const double begin = MPI_Wtime();
    try {
        entry.make()->run();
    } catch (const std::exception& error) {
        note_failure(entry.name.c_str(), 0, std::string("an exception came out of the test: ") + error.what());
    } catch (...) {
        note_failure(entry.name.c_str(), 0, "something was thrown out of the test");
    }
    int failures = own.failures;
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank() == 0) {
        const char* const how = failures > 0 ? "FAILED" : own.skipped ? "skipped" : "ok";
        std::printf("%s: %s%s%s (%d ms)\n", how, entry.name.c_str(), own.skipped ? ": " : "", own.why.c_str(),
                    static_cast<int>((MPI_Wtime() - begin) * 1e3));
        std::fflush(stdout);
    }
    return failures > 0;
}

}  // namespace

void note_failure(const char* file, int line, const std::string& text) {
    Running& own = running();
    if (++own.failures > kMaxSaid) return;
    std::string where;
    for (const std::string& trace : own.traces) where += " [" + trace + "]";
    std::printf("rank %d: %s: %s:%d:%s %s\n", world_rank(), own.test->name.c_str(), file, line, where.c_str(),
                text.c_str());
    std::fflush(stdout);
}

void note_skip(const std::string& why) {
    running().skipped = true;
    running().why = why;
}

bool is_skipped() {
    return running().skipped;
}

const void* current_parameter() {
    return running().test->parameter.get();
}

Trace::Trace(const std::string& text) {
    running().traces.push_back(text);
}

Trace::~Trace() {
    running().traces.pop_back();
}

bool add_test(Entry entry) {
    all_tests().push_back(std::move(entry));
    return true;
}

bool add_pattern(const std::string& suite, const std::string& name, std::function<std::unique_ptr<Test>()> make) {
    all_patterns().push_back({suite, name, std::move(make)});
    return true;
}

bool add_parameter(const std::string& suite, const std::string& name, std::shared_ptr<const void> parameter) {
    for (const Pattern& pattern : all_patterns())
        if (pattern.suite == suite)
            add_test({suite + "." + pattern.name + "/" + name, pattern.make, parameter});
    return true;
}

}  // namespace testing

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ran = 0, failed = 0;
    for (const testing::Entry& entry : testing::all_tests()) {
        if (!testing::chosen(entry.name, argc, argv)) continue;
        ++ran;
        failed += testing::failed_anywhere(entry) ? 1 : 0;
    }
    if (testing::world_rank() == 0) std::printf("%d tests, %d failed\n", ran, failed);
    MPI_Finalize();
    return failed > 0 || ran == 0 ? 1 : 0;
}
