// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/rank_printer.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "support/yielding.hpp"

namespace gimbal::test {

void RankPrinter::OnTestProgramStart(const testing::UnitTest& unit) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    if (rank_ == 0) std::printf("%d tests on %d ranks\n", unit.test_to_run_count(), size_);
}

void RankPrinter::OnTestStart(const testing::TestInfo& test) {
    said_.clear();
    if (rank_ != 0) return;
    std::printf("%s.%s ", test.test_suite_name(), test.name());
    std::fflush(stdout);
}

void RankPrinter::OnTestPartResult(const testing::TestPartResult& part) {
    if (part.passed()) return;
    said_ += "  rank " + std::to_string(rank_) + (part.skipped() ? " skips: " : ": ");
    if (part.file_name() != nullptr) {
        said_ += part.file_name();
        said_ += ':' + std::to_string(part.line_number()) + ": ";
    }
    said_ += part.message();
    said_ += '\n';
}

std::string RankPrinter::gathered() const {
    const int length = static_cast<int>(said_.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_)), offsets(static_cast<std::size_t>(size_));
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm_);
    int total = 0;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
        offsets[r] = total;
        total += lengths[r];
    }
    std::string all(rank_ == 0 ? static_cast<std::size_t>(total) : 0, '\0');
    MPI_Gatherv(said_.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0, comm_);
    return all;
}

void RankPrinter::OnTestEnd(const testing::TestInfo& test) {
    std::array<int, 2> sums{test.result()->Failed() ? 1 : 0, static_cast<int>(said_.size())};
    sum_over_ranks(sums, comm_);
    const bool failed = sums[0] > 0;
    const std::string all = sums[1] > 0 ? gathered() : "";
    failed_tests_ += failed ? 1 : 0;
    if (rank_ != 0) return;
    std::printf("%s (%lld ms)\n%s",
                failed                     ? "FAILED"
                : test.result()->Skipped() ? "skipped"
                                           : "ok",
                static_cast<long long>(test.result()->elapsed_time()), all.c_str());
    std::fflush(stdout);
}

void RankPrinter::OnTestProgramEnd(const testing::UnitTest&) {
    if (rank_ == 0) std::printf("%d tests failed\n", failed_tests_);
    MPI_Comm_free(&comm_);
}

}  // namespace gimbal::test
