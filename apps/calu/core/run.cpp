// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include "common/clock.hpp"
#include "common/turns.h"
#include "factorise.hpp"
#include "matrix.hpp"

#include <algorithm>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

namespace calu {

namespace {

void append(std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

void serial_check(const Matrix& original, const Config& config, Result& result) {
    Matrix matrix = original;
    const Factors factors = factorise(matrix, config.blocks, true);
    for (std::int64_t repetition = 0; repetition < config.repeat; ++repetition)
        append(result.serial_s, factors.times_s);
    if (checksum(matrix, factors.rows) != result.checksum)
        throw std::runtime_error("the factors differ from those of one thread");
}

}  // namespace

double median_s(const Result& result) {
    std::vector<double> times_s = result.total_s;
    std::sort(times_s.begin(), times_s.end());
    return (times_s[(times_s.size() - 1) / 2] + times_s[times_s.size() / 2]) / 2;
}

Result run(const Config& config) try {
    one_thread_per_call();
    const Matrix original = random_matrix(config.size, config.seed);
    Result result;
    result.name = "update";
    for (std::int64_t repetition = 0; repetition < config.repeat; ++repetition) {
        Matrix matrix = original;
        Factors factors;
        result.total_s.push_back(apps::seconds_of([&] { factors = factorise(matrix, config.blocks); }));
        append(result.times_s, factors.times_s);
        const std::uint64_t sum = checksum(matrix, factors.rows);
        if (repetition > 0 && sum != result.checksum) throw std::runtime_error("two factorisations differ");
        result.checksum = sum;
        if (repetition == 0) {
            const OneThread one;
            result.residual = residual(original, matrix, factors.rows);
        }
        end_of_step();
    }
    if (!(result.residual <= kResidualBound)) throw std::runtime_error("the residual is too large");
    if (config.serial_check) serial_check(original, config, result);
    return result;
} catch (const std::bad_alloc&) {
    const double n = config.size;
    std::ostringstream gigabytes;
    gigabytes << 3e-9 * sizeof(double) * n * n;
    throw std::runtime_error("not enough memory for three matrices of " + std::to_string(config.size) + " x " +
                             std::to_string(config.size) + " (" + gigabytes.str() + " GB)");
}

}  // namespace calu
