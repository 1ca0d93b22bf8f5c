// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program must not do is an error at once.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cmath>
#include <functional>

#include "steal/ledger.hpp"

namespace gimbal::test {
namespace {

using mpi::StealLoop;

void expect_error(ErrorCode code, const std::string& part, const std::function<void()>& wrong) {
    try {
        wrong();
        ADD_FAILURE() << "no error about " << part;
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_NE((error.what() + error.hint()).find(part), std::string::npos) << error.what() << error.hint();
    }
}

TEST(WrongUse, ArgumentsThatCannotBe) {
    Ledger ledger(MPI_COMM_WORLD, 1, 1);
    const auto wrong = ErrorCode::wrong_use;
    expect_error(wrong, "MPI_COMM_NULL", [&] { StealLoop(MPI_COMM_NULL, "x", 1, ledger.work()); });
    expect_error(wrong, "owns -1", [&] { StealLoop(MPI_COMM_WORLD, "x", -1, ledger.work()); });
    expect_error(wrong, "run_at_once", [&] { StealLoop(MPI_COMM_WORLD, "x", 1, ledger.work(), {.run_at_once = -3}); });
    for (const double ratio : {1.5, -0.5, -3.0, static_cast<double>(NAN)}) {
        expect_error(ErrorCode::invalid_option, "steal ratio",
                     [&] { StealLoop(MPI_COMM_WORLD, "x", 1, ledger.work(), {.ratio = ratio}); });
    }
    mpi::StealWork none = ledger.work();
    none.run = nullptr;
    expect_error(wrong, "run is missing", [&] { StealLoop(MPI_COMM_WORLD, "x", 1, none); });
    none = ledger.work();
    none.pack = nullptr;
    expect_error(wrong, "pack is missing", [&] { StealLoop(MPI_COMM_WORLD, "x", 1, none); });
    none = ledger.work();
    none.run_stolen = nullptr;
    expect_error(wrong, "run_stolen is missing", [&] { StealLoop(MPI_COMM_WORLD, "x", 1, none); });
}

TEST(WrongUse, RunningTwice) {
    Ledger ledger(MPI_COMM_WORLD, 3, 2);
    StealLoop loop(MPI_COMM_WORLD, "twice", 3, ledger.work());
    StealLoop moved(std::move(loop));
    const mpi::StealRecord record = moved.run();
    EXPECT_TRUE(ledger.settled(record));
    expect_error(ErrorCode::wrong_use, "second time", [&] { moved.run(); });
    expect_error(ErrorCode::wrong_use, "second time", [&] { loop.run(); });  // NOLINT(bugprone-use-after-move)
}

TEST(WrongUse, RunningFromACallback) {
    Ledger inner(MPI_COMM_WORLD, 1, 3);
    Ledger outer(MPI_COMM_WORLD, 1, 4);
    outer.on_item = [&](int, std::int64_t) { inner.run("nested"); };
    // A rank whose only item was stolen hears of it from the thief.
    EXPECT_THROW(outer.run("nested"), Error);
}

}  // namespace
}  // namespace gimbal::test
