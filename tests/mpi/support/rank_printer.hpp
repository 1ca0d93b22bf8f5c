// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

namespace gimbal::test {

/// One account of tests that all ranks run together: rank 0 names each test as it begins, so that a test that hangs is
/// known, and after it prints what failed, by rank. Every test ends with a barrier here.
class RankPrinter : public testing::EmptyTestEventListener {
public:
    void OnTestProgramStart(const testing::UnitTest& unit) override;
    void OnTestStart(const testing::TestInfo& test) override;
    void OnTestPartResult(const testing::TestPartResult& part) override;
    void OnTestEnd(const testing::TestInfo& test) override;
    void OnTestProgramEnd(const testing::UnitTest& unit) override;

private:
    [[nodiscard]] std::string gathered() const;

    MPI_Comm comm_ = MPI_COMM_NULL;  // its own, so that tests may leave messages pending on the world's
    int rank_ = 0;
    int size_ = 1;
    int failed_tests_ = 0;
    std::string said_;  // failures and skips of this rank in this test
};

}  // namespace gimbal::test
