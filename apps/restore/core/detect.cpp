// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "detect.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace restore {

namespace {

/// How often each grey level occurs in a window that grows.
class Histogram {
public:
    void add(std::uint8_t value) {
        levels_[value] += 1;
        sixteens_[value >> 4] += 1;
        count_ += 1;
        least_ = std::min(least_, value);
        greatest_ = std::max(greatest_, value);
    }

    std::uint8_t least() const { return least_; }
    std::uint8_t greatest() const { return greatest_; }

    std::uint8_t median() const {
        int left = count_ / 2;
        std::size_t group = 0;
        while (left >= sixteens_[group]) left -= sixteens_[group++];
        std::size_t level = group << 4;
        while (left >= levels_[level]) left -= levels_[level++];
        return static_cast<std::uint8_t>(level);
    }

private:
    std::array<int, 256> levels_{};
    std::array<int, 16> sixteens_{};
    int count_ = 0;
    std::uint8_t least_ = 255;
    std::uint8_t greatest_ = 0;
};

/// The pixels of a window that its predecessor, two narrower, does not have; without those outside of the plane.
void add_ring(Histogram& histogram, const Plane& plane, std::int64_t x, std::int64_t y, std::int64_t reach) {
    const std::int64_t left = std::max<std::int64_t>(x - reach, 0);
    const std::int64_t right = std::min(x + reach, plane.width - 1);
    for (const std::int64_t row : {y - reach, y + reach}) {
        if (row < 0 || row >= plane.height) continue;
        for (std::int64_t column = left; column <= right; ++column) histogram.add(plane.row(row)[column]);
    }
    const std::int64_t end = std::min(y + reach, plane.height);
    for (const std::int64_t column : {x - reach, x + reach}) {
        if (column < 0 || column >= plane.width) continue;
        for (std::int64_t row = std::max<std::int64_t>(y - reach + 1, 0); row < end; ++row)
            histogram.add(plane.row(row)[column]);
    }
}

/// Whether a pixel is neither the least nor the greatest of the 3 x 3 around it. At the border pixels count twice,
/// which changes neither.
bool is_between(const Plane& plane, std::int64_t x, std::int64_t y) {
    const std::int64_t left = std::max<std::int64_t>(x - 1, 0);
    const std::int64_t right = std::min(x + 1, plane.width - 1);
    const std::uint8_t value = plane.row(y)[x];
    std::uint8_t least = value;
    std::uint8_t greatest = value;
    for (const std::uint8_t* row :
         {plane.row(std::max<std::int64_t>(y - 1, 0)), plane.row(y), plane.row(std::min(y + 1, plane.height - 1))}) {
        least = std::min({least, row[left], row[x], row[right]});
        greatest = std::max({greatest, row[left], row[x], row[right]});
    }
    return value != least && value != greatest;
}

/// What the adaptive median filter puts in a pixel's place: the pixel itself where it is no extreme of the first window
/// whose median is none.
std::uint8_t adaptive_median(const Plane& plane, std::int64_t x, std::int64_t y, int window) {
    const std::uint8_t value = plane.row(y)[x];
    if (is_between(plane, x, y)) return value;  // as most pixels are: they need no histogram
    Histogram histogram;
    histogram.add(value);
    std::uint8_t median = value;
    for (std::int64_t reach = 1; reach <= window / 2; ++reach) {
        add_ring(histogram, plane, x, y, reach);
        if (value != histogram.least() && value != histogram.greatest()) return value;
        median = histogram.median();
        if (median != histogram.least() && median != histogram.greatest()) return median;
    }
    return median;
}

std::uint8_t plain_median(const Plane& plane, std::int64_t x, std::int64_t y) {
    std::array<std::uint8_t, 9> values{};
    std::size_t count = 0;
    for (std::int64_t row = y - 1; row <= y + 1; ++row) {
        for (std::int64_t column = x - 1; column <= x + 1; ++column)
            values[count++] = plane.row(std::clamp<std::int64_t>(
                row, 0, plane.height - 1))[std::clamp<std::int64_t>(column, 0, plane.width - 1)];
    }
    std::nth_element(values.begin(), values.begin() + 4, values.end());
    return values[4];
}

}  // namespace

Detection detect(const Plane& plane, NoiseKind kind, int window) {
    assert(window >= kMinWindow && window <= kMaxWindow && window % 2 == 1);
    Detection found{Plane(plane.width, plane.height), Plane(plane.width, plane.height), 0};
#pragma omp parallel for schedule(runtime)
    for (std::int64_t y = 0; y < plane.height; ++y) {
        for (std::int64_t x = 0; x < plane.width; ++x) {
            const std::uint8_t median =
                kind == NoiseKind::gaussian ? plain_median(plane, x, y) : adaptive_median(plane, x, y, window);
            const std::uint8_t value = plane.row(y)[x];
            found.filtered.row(y)[x] = median;
            found.noisy.row(y)[x] = median != value && (kind == NoiseKind::gaussian || value == 0 || value == 255);
        }
    }
    found.count = std::count(found.noisy.samples.begin(), found.noisy.samples.end(), 1);
    return found;
}

}  // namespace restore
