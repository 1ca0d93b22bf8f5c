// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lifetime [quiet|self]: loops in every state are alive when their communicator is freed and when MPI ends. Nothing
// crashes or waits, what is used afterwards is an error that says why, and destructors do nothing. With `quiet` only
// loops that were drawn to their end: then nothing is said either. With `self` one on MPI_COMM_SELF.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "gimbal/mpi/loop.hpp"
#include "gimbal/mpi/mpi.h"
#include "gimbal/mpi/steal_loop.hpp"

namespace {

using gimbal::mpi::Loop;

bool g_good = true;
std::unique_ptr<Loop> g_loop;  // destroyed when the program ends
Loop* g_leaked = nullptr;      // known to the end: no leak to a sanitizer

void expect(bool good, const char* what) {
    if (good) return;
    g_good = false;
    std::printf("FAILED: %s\n", what);
    std::fflush(stdout);
}

// The call ends in wrong_use, and its text names `why`.
void expect_closed(const std::function<void()>& call, std::string_view why, const char* what) {
    try {
        call();
    } catch (const gimbal::Error& error) {
        if (error.code() == gimbal::ErrorCode::wrong_use &&
            std::string_view(error.what()).find(why) != std::string_view::npos)
            return;
        std::printf("%s\n", error.what());
    }
    expect(false, what);
}

void expect_unusable(Loop& loop, std::string_view why) {
    expect_closed([&] { static_cast<void>(loop.next()); }, why, "next() after its loop was closed");
    expect_closed([&] { static_cast<void>(loop.finish({0, 1})); }, why, "finish() after its loop was closed");
    loop.progress();
    loop.leave();
    expect(!loop.transport().empty(), "transport() after its loop was closed");
}

Loop begun(MPI_Comm comm, const char* name, gimbal::mpi::LoopOptions options = {.schedule = "ss"}) {
    Loop loop(comm, name, 1000, options);
    expect(static_cast<bool>(loop.next()), "a first chunk");
    return loop;
}

Loop drained(MPI_Comm comm, const char* name, gimbal::mpi::LoopOptions options = {.schedule = "ss"}) {
    Loop loop(comm, name, 100, options);
    while (loop.next()) {
    }
    return loop;
}

gimbal::mpi::StealWork work() {
    gimbal::mpi::StealWork work;
    work.run = [](auto, auto) {};
    work.pack = [](auto, auto count, auto& bytes) { bytes.resize(bytes.size() + static_cast<std::size_t>(count)); };
    work.run_stolen = [](int, auto, auto, auto, auto&) {};
    return work;
}

void free_under_loops(bool quiet) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    Loop done = drained(copy, "drained");
    if (quiet) {
        MPI_Comm_free(&copy);
        return;
    }
    Loop open = begun(copy, "open");
    Loop fixed = begun(copy, "static", {.schedule = "static"});
    Loop untouched(copy, "untouched", 50);
    gimbal::mpi::StealLoop never_run(copy, "never run", 10, work());
    MPI_Comm_free(&copy);
    expect_unusable(open, "MPI_Comm_free");
    expect_unusable(fixed, "MPI_Comm_free");
    expect_unusable(untouched, "MPI_Comm_free");
    expect_closed([&] { static_cast<void>(done.next()); }, "end of the loop", "next() after the end");
    expect_closed([&] { never_run.run(); }, "MPI_Comm_free", "run() of a steal loop after MPI_Comm_free");
    // The others go on.
    Loop after = drained(MPI_COMM_WORLD, "after");
}

}  // namespace

int main(int argc, char** argv) {
    const bool quiet = argc > 1 && std::strcmp(argv[1], "quiet") == 0;
    const bool self = argc > 1 && std::strcmp(argv[1], "self") == 0;
    MPI_Init(&argc, &argv);
    if (self) {
        Loop open = begun(MPI_COMM_SELF, "open");
        MPI_Finalize();
        expect_unusable(open, "MPI_Finalize");
        return g_good ? 0 : 1;
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    free_under_loops(quiet);

    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);  // and never freed
    Loop done = drained(MPI_COMM_WORLD, "drained");
    Loop by_threads = drained(copy, "drained by threads", {.schedule = "gss", .shared_by_threads = true});
    gimbal::mpi::StealLoop stolen(MPI_COMM_WORLD, "stolen", 10, work());
    stolen.run();
    if (quiet) {
        MPI_Finalize();
        return g_good ? 0 : 1;
    }

    Loop open = begun(MPI_COMM_WORLD, "open");
    Loop second = begun(copy, "open");
    g_leaked = new Loop(begun(copy, "leaked"));
    g_loop = std::make_unique<Loop>(begun(MPI_COMM_WORLD, "global"));
    gimbal::mpi::StealLoop never_run(MPI_COMM_WORLD, "never run", 10, work());
    gimbal_mpi_loop* handle = nullptr;
    std::int64_t first = 0, end = 0;
    expect(gimbal_mpi_begin_loop(MPI_COMM_WORLD, "handle", 1000, nullptr, &handle) == 0, "a loop of C");
    expect(gimbal_mpi_next_chunk(handle, &first, &end) == 1, "its first chunk");
    MPI_Finalize();

    expect_unusable(open, "MPI_Finalize");
    expect_unusable(second, "MPI_Finalize");
    expect_unusable(*g_loop, "MPI_Finalize");
    expect_closed([&] { never_run.run(); }, "MPI_Finalize", "run() of a steal loop after MPI_Finalize");
    expect(gimbal_mpi_next_chunk(handle, &first, &end) == GIMBAL_ERROR_WRONG_USE, "a chunk after MPI_Finalize, in C");
    expect(gimbal_mpi_progress() == 0 && gimbal_mpi_progress_loop(handle) == 0, "progress after MPI_Finalize, in C");
    expect(gimbal_mpi_end_loop(&handle) == 0 && handle == nullptr, "end of a loop after MPI_Finalize, in C");
    if (g_good && rank == 0) std::printf("went on to the end\n");
    return g_good ? 0 : 1;
}
