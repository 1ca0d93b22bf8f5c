// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/prediction_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace gimbal {

namespace {

constexpr double kUnknown = 0.1;  // dynamic share before anything was seen
constexpr double kMin = 0.02;     // what nobody predicts: an interruption now and then
constexpr double kMax = 0.5;
// Chunks of the shared end were cut by the profile, too, and nobody steals from them: one may cost P times as much.
constexpr double kMaxTogether = 0.6;  // over P
constexpr double kMaxOfMany = 0.05;
constexpr double kSafety = 1.5;
constexpr double kStep = 0.01;  // fractions are rounded to this, so that plans last

}  // namespace

void PredictionError::add(std::span<const WorkerRecord> workers, double fraction) noexcept {
    std::uint64_t begin = UINT64_MAX;
    double work = 0;
    for (const WorkerRecord& worker : workers) {
        begin = std::min(begin, worker.begin);
        work += static_cast<double>(worker.end - worker.begin);
    }
    double last = 0;
    double sum = 0;
    bool timed = false;
    for (const WorkerRecord& worker : workers) {
        const bool noted = worker.static_end >= begin;
        timed = timed || noted;
        // Who drew nothing after its block ended with it.
        const auto finish = static_cast<double>((noted ? worker.static_end : worker.end) - begin);
        last = std::max(last, finish);
        sum += finish;
    }
    if (!timed) return;
    if (workers.empty() || work <= 0 || !(fraction > 0)) return;
    const auto count = static_cast<double>(workers.size());
    late_[seen_++ % kKept] = (last - sum / count) / (work / count) / fraction;
    note_expected();
}

// The worst but one of those that are kept, and half as much again.
void PredictionError::note_expected() noexcept {
    const std::size_t known = std::min(seen_, kKept);
    if (known == 0) return;
    std::array<double, kKept> sorted = late_;
    std::sort(sorted.begin(), sorted.begin() + known, std::greater<>());
    expected_ = kSafety * sorted[known < 3 ? 0 : 1];
}

void PredictionError::save(ByteWriter& to) const {
    const std::size_t known = std::min(seen_, kKept);
    to.put(static_cast<std::uint8_t>(known));
    for (std::size_t k = 0; k < known; ++k) to.put_real(late_[k]);
}

void PredictionError::restore(ByteReader& from) noexcept {
    seen_ = std::min<std::size_t>(from.get<std::uint8_t>(), kKept);
    for (std::size_t k = 0; k < seen_; ++k) late_[k] = from.get_real(0, 1e9);
    note_expected();
}

double PredictionError::fraction(std::uint32_t stealing) const noexcept {
    const double most = stealing > 0 ? std::clamp(kMaxTogether / stealing, kMaxOfMany, kMax) : kMax;
    if (seen_ == 0) return 1 - std::min(most, kUnknown);
    const double share = std::clamp(std::ceil(expected_ / (1 + expected_) / kStep) * kStep, kMin, most);
    return 1 - share;
}

}  // namespace gimbal
