// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh.hpp"

#include "common/random.hpp"
#include "loops.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace stencil {

using apps::mix;

namespace {

/// Half the phase of a mode from one cell to the next.
double half_phase(std::int64_t n, int waves) {
    return 0.5 * std::numbers::pi * waves / static_cast<double>(n + 1);
}

/// sin(waves pi x) at the cells. @return [n]
std::vector<double> sine(std::int64_t n, int waves) {
    std::vector<double> values;
    for (std::int64_t i = 1; i <= n; ++i)
        values.push_back(std::sin(2.0 * static_cast<double>(i) * half_phase(n, waves)));
    return values;
}

}  // namespace

Mesh::Mesh(std::int64_t n) : n_(n), values_(static_cast<std::size_t>((n + 2) * (n + 2) * (n + 2))) {}

Mesh sine_mode(std::int64_t n, const Mode& mode) {
    const auto x = sine(n, mode[0]);
    const auto y = sine(n, mode[1]);
    const auto z = sine(n, mode[2]);
    Mesh mesh(n);
    for (std::int64_t p = 0; p < mesh.pencils(); ++p) {
        const double yz = y[static_cast<std::size_t>(p % n)] * z[static_cast<std::size_t>(p / n)];
        std::transform(x.begin(), x.end(), mesh.pencil(p), [yz](double value) { return value * yz; });
    }
    return mesh;
}

double exact_amplitude(std::int64_t n, const Mode& mode, std::int64_t steps) {
    double loss = 0.0;  // of the amplitude in one step; kept apart from 1, which would round it
    for (const int waves : mode) loss += 4.0 * kDiffusion * std::pow(std::sin(half_phase(n, waves)), 2);
    return std::exp(static_cast<double>(steps) * std::log1p(-loss));
}

double relative_error(const Mesh& mesh, const Mode& mode, std::int64_t steps) {
    constexpr double kSmallest = 1e-250;  // a wave that has died out to denormal numbers has no relative error
    const double amplitude = exact_amplitude(mesh.n(), mode, steps);
    const Mesh start = sine_mode(mesh.n(), mode);
    double largest = 0.0;
    for (std::int64_t p = 0; p < mesh.pencils(); ++p) {
        for (std::int64_t x = 0; x < mesh.n(); ++x) {
            const double difference = std::abs(mesh.pencil(p)[x] - amplitude * start.pencil(p)[x]);
            if (std::isnan(difference)) return difference;
            largest = std::max(largest, difference);
        }
    }
    return largest / std::max(amplitude, kSmallest);
}

std::uint64_t checksum(const Mesh& mesh) {
    std::uint64_t sum = 0;
    std::uint64_t cell = 0;
    for (std::int64_t p = 0; p < mesh.pencils(); ++p) {
        for (std::int64_t x = 0; x < mesh.n(); ++x)
            sum += mix(mix(++cell) ^ std::bit_cast<std::uint64_t>(mesh.pencil(p)[x]));
    }
    return sum;
}

}  // namespace stencil
