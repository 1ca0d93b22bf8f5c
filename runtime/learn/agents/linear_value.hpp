// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace gimbal::learn {

/// A value that is linear in features of the state: v = sum_i c_i x_i.
/// @threads guarded by its owner  @cost O(features)
class LinearValue {
public:
    /// @errors std::bad_alloc
    explicit LinearValue(std::size_t features) : coefficients_(features, 0.0) {}

    [[nodiscard]] double at(std::span<const double> features) const noexcept {
        double value = 0;
        for (std::size_t i = 0; i < coefficients_.size(); ++i) value += coefficients_[i] * features[i];
        return value;
    }

    /// c_i += alpha x_i sigmoid(dv), dv = target - value: large errors, which features that grow feed on themselves,
    /// cannot move the coefficients far. The sigmoid is tanh: the plain rule wherever dv is small, as the source
    /// wants it, which one that is 1/2 at 0 would not be.
    /// @source seed 002, eq. 4; test: tests/unit/learn/linear_test.cpp
    void learn(std::span<const double> features, double target, double alpha) noexcept {
        move(features, alpha * std::tanh(target - at(features)));
    }

    /// The plain rule, c_i += alpha x_i dv; here to be compared with. @source seed 002, eq. 3
    void learn_plainly(std::span<const double> features, double target, double alpha) noexcept {
        move(features, alpha * (target - at(features)));
    }

    void set(std::size_t feature, double coefficient) noexcept { coefficients_[feature] = coefficient; }

private:
    void move(std::span<const double> features, double by) noexcept {
        for (std::size_t i = 0; i < coefficients_.size(); ++i) coefficients_[i] += by * features[i];
    }

    std::vector<double> coefficients_;
};

}  // namespace gimbal::learn
