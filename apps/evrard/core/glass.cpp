// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "initial.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace evrard {

namespace {

constexpr int kSweeps = 200;
constexpr double kReach = 2.2;      // range of the repulsion in mean spacings: about 45 neighbours
constexpr double kSkin = 0.5;       // what lists of neighbours reach further, in mean spacings
constexpr double kFirstStep = 0.4;  // displacement per sweep, in spacings per unit force; shrinks to a tenth

/// @param d  difference of two coordinates in [0, 1)
double nearest_image(double d) {
    return d - (d > 0.5 ? 1.0 : 0.0) + (d < -0.5 ? 1.0 : 0.0);
}

Vec3 shortest(const Vec3& a, const Vec3& b) {
    const Vec3 raw = a - b;
    return {nearest_image(raw.x), nearest_image(raw.y), nearest_image(raw.z)};
}

/// For each point those that stay the only ones within the reach until some point has travelled half a skin (a Verlet
/// list), in ascending order: the sums have the same bits as over all points.
class Neighbourhood {
public:
    Neighbourhood(double reach, double skin) : reach_(reach), skin_(skin), left_(-1.0) {}

    /// To be called when points have moved, none of them by more than the distance.
    void travelled(double distance) { left_ -= distance; }

    const std::vector<std::vector<std::size_t>>& of(const std::vector<Vec3>& points) {
        if (left_ >= 0.0) return near_;
        near_.assign(points.size(), {});
        const double range2 = (reach_ + skin_) * (reach_ + skin_);
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const Vec3 d = shortest(points[i], points[j]);
                if (dot(d, d) >= range2) continue;
                near_[i].push_back(j);
                near_[j].push_back(i);
            }
        left_ = 0.499 * skin_;  // less than a half: positions are rounded
        return near_;
    }

private:
    double reach_, skin_;
    double left_;  // how far a point may still travel
    std::vector<std::vector<std::size_t>> near_;
};

/// Sum over the points nearby of a repulsion that falls linearly to zero at the reach.
Vec3 push(const std::vector<Vec3>& points, const std::vector<std::size_t>& near, std::size_t i, double reach) {
    Vec3 sum;
    for (const std::size_t j : near) {
        const Vec3 d = shortest(points[i], points[j]);
        const double r2 = dot(d, d);
        if (r2 >= reach * reach || r2 == 0.0) continue;
        const double r = std::sqrt(r2);
        const double w = 1.0 - r / reach;
        sum = sum + (w * w / r) * d;
    }
    return sum;
}

}  // namespace

std::vector<Vec3> make_glass(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    // The standard distributions differ between libraries; the top 53 bits do not.
    const auto uniform = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    std::vector<Vec3> points(count);
    for (Vec3& p : points) {
        p.x = uniform();
        p.y = uniform();
        p.z = uniform();
    }
    const double spacing = 1.0 / std::cbrt(static_cast<double>(count));
    std::vector<Vec3> moved(count);
    const double reach = kReach * spacing;
    Neighbourhood neighbourhood(reach, kSkin * spacing);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const double step = kFirstStep * spacing * std::pow(0.1, static_cast<double>(sweep) / kSweeps);
        const auto& near = neighbourhood.of(points);
        double furthest = 0.0;
        for (std::size_t i = 0; i < count; ++i) {
            const Vec3 move = step * push(points, near[i], i, reach);
            const Vec3 to = points[i] + move;
            furthest = std::max(furthest, norm(move));
            moved[i] = {to.x - std::floor(to.x), to.y - std::floor(to.y), to.z - std::floor(to.z)};
        }
        neighbourhood.travelled(furthest);
        points.swap(moved);
    }
    return points;
}

}  // namespace evrard
