// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/cost_profile.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace gimbal {
namespace {

constexpr std::size_t kBins = 256;  // what one core has measured another one reads, line by line
constexpr std::size_t kBinsPerWorker = 8;
constexpr std::size_t kMaxBins = std::size_t{1} << 14;
constexpr std::size_t kWord = 64;
constexpr std::size_t kKeptBins = 128;
constexpr double kForget = 0.5;   // of errors, with each execution
constexpr double kClearly = 0.8;  // of measurements that differ by chance, the newest one is off by 1.17 times as much

constexpr std::size_t words_for(std::size_t bins) noexcept {
    return (bins + kWord - 1) / kWord;
}

}  // namespace

template <class Visit>
void ChunkCosts::for_each_touched(Visit visit) const {
    for (std::size_t word = 0; word < touched_.size(); ++word) {
        for (std::uint64_t left = touched_[word]; left != 0; left &= left - 1) {
            visit(word * kWord + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

void ChunkCosts::reserve(std::size_t bins) {
    bins_.reserve(bins);
    touched_.reserve(words_for(bins));
}

void ChunkCosts::prepare(std::uint64_t iterations, std::size_t bins) {
    assert(bins >= 1);
    for_each_touched([this](std::size_t bin) { bins_[bin] = {}; });
    std::fill(touched_.begin(), touched_.end(), 0);
    bins_.resize(bins);
    touched_.resize(words_for(bins));
    instructions = 0;
    processor = -1;
    iterations_ = static_cast<double>(iterations);
    iterations_per_bin_ = iterations == 0 ? 1 : iterations_ / static_cast<double>(bins);
    bins_per_iteration_ = 1 / iterations_per_bin_;
}

void ChunkCosts::add_to(std::size_t bin, double iterations, double time) noexcept {
    bins_[bin].time += time;
    bins_[bin].covered += iterations;
    touched_[bin / kWord] |= std::uint64_t{1} << bin % kWord;
}

void ChunkCosts::add(Range chunk, double time) noexcept {
    if (chunk.end <= chunk.first) return;
    const auto size = static_cast<double>(chunk.size());
    spread(static_cast<double>(chunk.first), size, time / size);
}

void ChunkCosts::add_part(const ChunkCosts& part, std::uint64_t first, double speed) noexcept {
    part.for_each_touched([&](std::size_t bin) {
        const Bin& seen = part.bins_[bin];
        if (!(seen.covered > 0)) return;
        const double begin = static_cast<double>(first) + static_cast<double>(bin) * part.iterations_per_bin_;
        spread(begin, seen.covered, speed * seen.time / seen.covered);
    });
}

// Costs of `density` per iteration over [first, first + size) [iterations].
void ChunkCosts::spread(double first, double size, double density) noexcept {
    const std::size_t last_bin = bins_.size() - 1;
    // Rounding may put a bound one bin off: the piece that this cuts is then empty or a sliver.
    std::size_t bin = std::min(static_cast<std::size_t>(first * bins_per_iteration_), last_bin);
    double left = size;
    double from = first;
    while (left > 0) {
        const double edge = static_cast<double>(bin + 1) * iterations_per_bin_;
        const double part = bin == last_bin ? left : std::min(left, edge - from);
        if (part > 0) {
            add_to(bin, part, part * density);
            left -= part;
            from = edge;
        }
        bin += 1;
    }
}

std::size_t ChunkCosts::copy_to(std::span<Entry> entries) const noexcept {
    std::size_t count = 0;
    for_each_touched([&](std::size_t bin) {
        if (count < entries.size()) entries[count] = {bin, bins_[bin].time, bins_[bin].covered};
        ++count;
    });
    return count;
}

void ChunkCosts::take(std::span<const Entry> entries) noexcept {
    for (const Entry& entry : entries) {
        if (entry.bin < bins_.size()) add_to(static_cast<std::size_t>(entry.bin), entry.covered, entry.time);
    }
}

std::size_t CostProfile::bins_for(std::uint64_t iterations, std::uint32_t workers) noexcept {
    const std::size_t wanted = std::min(std::max(kBins, kBinsPerWorker * workers), kMaxBins);
    return static_cast<std::size_t>(std::max<std::uint64_t>(std::min<std::uint64_t>(wanted, iterations), 1));
}

void CostProfile::Bin::take(double measured) noexcept {
    last = {static_cast<float>(measured), last[0], last[1]};
}

double CostProfile::Bin::robust() const noexcept {
    if (last[1] < 0) return last[0];
    // Interruptions only ever add time: of two measurements the lower one is nearer to the truth.
    if (last[2] < 0) return std::min(last[0], last[1]);
    return std::max(std::min(last[0], last[1]), std::min(std::max(last[0], last[1]), last[2]));
}

// One measurement is the same by either way.
void CostProfile::Errors::add(const Bin& bin, double measured, double iterations) noexcept {
    if (bin.last[1] < 0) return;
    newest += iterations * std::abs(measured - bin.last[0]);
    robust += iterations * std::abs(measured - bin.robust());
}

void CostProfile::Errors::forget() noexcept {
    newest *= kForget;
    robust *= kForget;
}

bool CostProfile::Errors::newest_is_better() const noexcept {
    return newest < kClearly * robust;
}

void CostProfile::resize(std::size_t bins) {
    if (bins == bins_.size()) return;
    std::vector<Bin> resized(bins);
    const bool seen = std::any_of(bins_.begin(), bins_.end(), [](const Bin& bin) { return bin.seen(); });
    if (known() && seen) {
        const double width = 1 / static_cast<double>(bins);
        for (std::size_t k = 0; k < bins; ++k) {
            const double from = static_cast<double>(k) * width;
            resized[k].take((this->before(from + width) - this->before(from)) / (width * iterations_));
        }
    }
    std::vector<double> before(bins + 1);
    bins_.swap(resized);
    before_.swap(before);
}

double ChunkCosts::time() const noexcept {
    double sum = 0;
    for_each_touched([&](std::size_t bin) { sum += bins_[bin].time; });
    return sum;
}

std::vector<ComparedCosts> CostProfile::compare(std::span<const ChunkCosts* const> workers) const {
    const double per_iteration = known() ? 1 / width() : 0;
    std::vector<ComparedCosts> compared(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i) {
        const ChunkCosts& worker = *workers[i];
        const bool same = worker.bins_.size() == bins_.size();
        ComparedCosts sum;
        worker.for_each_touched([&](std::size_t bin) {
            const double time = worker.bins_[bin].time;
            const double should = same ? worker.bins_[bin].covered * time_of(bin) * per_iteration : 0;
            sum.time += time;
            sum.predicted += should;
            sum.vanished += std::max(should - time, 0.0);
        });
        compared[i] = sum;
    }
    return compared;
}

double vanished_part(std::span<const ComparedCosts> workers) noexcept {
    ComparedCosts sum;
    for (const ComparedCosts& worker : workers) {
        sum.predicted += worker.predicted;
        sum.vanished += worker.vanished;
    }
    return sum.predicted > 0 ? sum.vanished / sum.predicted : 0;
}

void CostProfile::doubt() noexcept {
    for (Bin& bin : bins_) bin = {};
    errors_ = {};
    follows_ = false;
}

void CostProfile::learn(std::span<const ChunkCosts* const> workers, std::span<const double> slowness) {
    if (workers.empty() || workers[0]->iterations_ <= 0) return;
    resize(workers[0]->bins_.size());
    std::vector<ChunkCosts::Bin> sums(bins_.size());
    for (std::size_t i = 0; i < workers.size(); ++i) {
        const ChunkCosts& worker = *workers[i];
        assert(worker.bins_.size() == bins_.size() && worker.iterations_ == workers[0]->iterations_);
        const double speed = slowness.size() == workers.size() ? 1 / slowness[i] : 1;
        worker.for_each_touched([&](std::size_t bin) {
            sums[bin].time += worker.bins_[bin].time * speed;
            sums[bin].covered += worker.bins_[bin].covered;
        });
    }
    errors_.forget();
    for (std::size_t k = 0; k < bins_.size(); ++k) {
        if (!(sums[k].covered > 0) || !std::isfinite(sums[k].time)) continue;
        const double measured = sums[k].time / sums[k].covered;
        errors_.add(bins_[k], measured, sums[k].covered);
        bins_[k].take(measured);
    }
    follows_ = errors_.newest_is_better();
    iterations_ = workers[0]->iterations_;
    accumulate();
}

void CostProfile::learn_part(std::span<const ChunkCosts* const> workers, std::uint64_t first, std::uint64_t whole,
                             std::span<const double> slowness) {
    constexpr double kMuchOfABin = 0.5;
    if (workers.empty() || whole == 0) return;
    resize(bins_for(whole, static_cast<std::uint32_t>(workers.size())));
    iterations_ = static_cast<double>(whole);
    const double width = this->width();
    ChunkCosts sums;
    sums.prepare(whole, bins_.size());
    for (std::size_t i = 0; i < workers.size(); ++i)
        sums.add_part(*workers[i], first, slowness.size() == workers.size() ? 1 / slowness[i] : 1);
    errors_.forget();
    for (std::size_t k = 0; k < bins_.size(); ++k) {
        const ChunkCosts::Bin& sum = sums.bins_[k];
        const bool counts = bins_[k].seen() ? sum.covered >= kMuchOfABin * width : sum.covered > 0;
        if (!counts || !std::isfinite(sum.time)) continue;
        errors_.add(bins_[k], sum.time / sum.covered, sum.covered);
        bins_[k].take(sum.time / sum.covered);
    }
    follows_ = errors_.newest_is_better();
    accumulate();
}

void CostProfile::show(const CostProfile& whole, Range part, std::uint64_t iterations, std::size_t bins) {
    bins_.assign(bins, Bin{});
    before_.resize(bins + 1);
    iterations_ = static_cast<double>(part.size());
    const auto all = static_cast<double>(iterations);
    const double begin = whole.before(static_cast<double>(part.first) / all);
    for (std::size_t k = 0; k <= bins; ++k) {
        const double place = static_cast<double>(part.first) + width() * static_cast<double>(k);
        before_[k] = whole.before(place / all) - begin;
    }
    total_ = before_.back();
}

void CostProfile::accumulate() noexcept {
    const std::size_t bins = bins_.size();
    const double width = this->width();
    before_[0] = 0;
    double sum = 0;
    for (std::size_t k = 0; k < bins;) {
        if (bins_[k].seen()) {
            sum += cost(bins_[k]) * width;
            before_[++k] = sum;
            continue;
        }
        // What was never seen costs as much as the mean of its neighbours.
        const std::size_t first = k;
        std::size_t end = k;
        while (end < bins && !bins_[end].seen()) ++end;
        const double right = end < bins ? cost(bins_[end]) : (first > 0 ? cost(bins_[first - 1]) : 0);
        const double left = first > 0 ? cost(bins_[first - 1]) : right;
        for (; k < end; ++k) before_[k + 1] = sum += (left + right) / 2 * width;
    }
    total_ = sum;
}

double difference(const CostShape& from, const CostShape& to) noexcept {
    double most = 0;
    for (std::size_t k = 0; k < from.size(); ++k) most = std::max(most, std::abs(to[k] - from[k]));
    return most;
}

IterationStatistics CostProfile::statistics(double draw) const noexcept {
    if (!known()) return {};
    return {total_ / iterations_, 0, draw, true};
}

CostShape CostProfile::shape() const noexcept {
    CostShape shape{};
    for (std::size_t k = 0; k < shape.size(); ++k)
        shape[k] = before(static_cast<double>(k + 1) / static_cast<double>(shape.size())) / total_;
    return shape;
}

double CostProfile::before(double x) const noexcept {
    if (!known() || !(x > 0)) return 0;
    if (x >= 1) return total_;
    const double at = x * static_cast<double>(bins_.size());
    const std::size_t bin = std::min(static_cast<std::size_t>(at), bins_.size() - 1);
    return before_[bin] + (at - static_cast<double>(bin)) * (before_[bin + 1] - before_[bin]);
}

// As parts of the costliest bin, in 16 bits each.
void CostProfile::save(ByteWriter& to, double tick_s) const {
    const std::size_t count = std::min(bins_.size(), kKeptBins);
    const auto cost = [&](std::size_t bin) {
        const auto bins = static_cast<double>(count);
        return before(static_cast<double>(bin + 1) / bins) - before(static_cast<double>(bin) / bins);
    };
    double most = 0;
    for (std::size_t bin = 0; bin < count; ++bin) most = std::max(most, cost(bin));
    to.put_real(iterations_);
    to.put_real(total_ * tick_s);
    to.put(static_cast<std::uint8_t>(count));
    for (std::size_t bin = 0; bin < count; ++bin)
        to.put(static_cast<std::uint16_t>(std::lround(cost(bin) / most * UINT16_MAX)));
}

bool CostProfile::restore(ByteReader& from, double tick_s) {
    constexpr double kMax = 1e18;
    iterations_ = from.get_real(1, kMax);
    const double total = from.get_real(0, kMax) / tick_s;
    const std::size_t count = from.get<std::uint8_t>();
    if (!from.ok() || count == 0 || count > kKeptBins || static_cast<double>(count) > iterations_) return false;
    bins_.assign(count, Bin{});
    before_.assign(count + 1, 0);
    for (std::size_t bin = 0; bin < count; ++bin) before_[bin + 1] = before_[bin] + from.get<std::uint16_t>();
    if (!from.ok() || !(total > 0) || !(before_.back() > 0)) return false;
    const double scale = total / before_.back();
    for (double& cost : before_) cost *= scale;
    total_ = before_.back();
    return true;
}

double CostProfile::position(double cost) const noexcept {
    if (!known() || !(cost > 0)) return 0;
    if (cost >= total_) return 1;
    const auto end = std::lower_bound(before_.begin(), before_.end(), cost);
    return position_in(static_cast<std::size_t>(end - before_.begin()) - 1, cost);
}

double CostProfile::position_from(double cost, std::size_t& bin) const noexcept {
    if (!known() || !(cost > 0)) return 0;
    if (cost >= total_) return 1;
    while (before_[bin + 1] < cost) ++bin;
    return position_in(bin, cost);
}

// The bin whose end is the first to reach the cost begins below it: it costs something, and can be divided by.
double CostProfile::position_in(std::size_t bin, double cost) const noexcept {
    const double part = (cost - before_[bin]) / (before_[bin + 1] - before_[bin]);
    return (static_cast<double>(bin) + part) / static_cast<double>(bins_.size());
}

}  // namespace gimbal
