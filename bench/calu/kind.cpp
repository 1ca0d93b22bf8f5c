// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// apps/calu as a kind of loop for the driver of bench/wild (bench/wild/kinds/kind.h says what its functions do): a step
// is a factorisation of the same matrix. What counts of it is the factorisation, not the copy that it begins with.
#include "common/clock.hpp"
#include "factorise.hpp"
#include "matrix.hpp"
#include "run.hpp"

#include <cstdint>
#include <optional>

namespace {

constexpr int kSize = 1024;
constexpr calu::Blocks kBlocks{.width = 32};

std::optional<calu::Matrix> original, matrix;
calu::Factors factors;
double time_s = 0;

}  // namespace

extern "C" {

double wild_unit() {
    return 1;
}

void wild_create(int /*threads*/, double /*unit_ns*/) {
    calu::one_thread_per_call();
    original = calu::random_matrix(kSize, 1);
    matrix.emplace(kSize);
}

void wild_run(long /*first*/, long count) {
    time_s = 0;
    for (long step = 0; step < count; ++step) {
        matrix->values = original->values;
        time_s += apps::seconds_of([] { factors = calu::factorise(*matrix, kBlocks); });
    }
}

double wild_timed_ns() {
    return 1e9 * time_s;
}

std::uint64_t wild_sum() {
    return calu::checksum(*matrix, factors.rows);
}

double wild_error() {
    return calu::residual(*original, *matrix, factors.rows) / calu::kResidualBound;
}

}  // extern "C"
