// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gimbal/random.hpp"

namespace gimbal::learn {

/// A network with one hidden layer: the state in (one-hot), tanh, one value per action out (linear).
/// @threads guarded by its owner; value functions use scratch space of the object
class Network {
public:
    /// H [count]: enough for portfolios of dozens, few enough to be computed within microseconds.
    static constexpr std::size_t kHidden = 16;

    /// @param states  S, >= 1: inputs  @param bias  [K] the outputs before anything is learnt  @errors std::bad_alloc
    Network(std::size_t states, std::span<const double> bias, Random& random);

    /// @param values  [K] out  @cost O(K H)
    void forward(std::uint32_t state, std::span<double> values) const noexcept;

    /// @cost O(H)
    [[nodiscard]] double value(std::uint32_t state, std::uint32_t action) const noexcept;

    /// One step of gradient descent on half the squared error of one output.
    /// @param error  target minus value, possibly cut  @cost O(H)
    void descend(std::uint32_t state, std::uint32_t action, double error, double rate) noexcept;

    /// Multiply every output by a factor, exactly.
    void scale_outputs(double factor) noexcept;

    /// Take over another network's weights; sizes must be equal. Nothing is allocated.
    void copy(const Network& other) noexcept;

private:
    void activate(std::uint32_t state) const noexcept;

    std::size_t actions_;
    std::vector<double> input_;           // [S][H] weights from the state's neuron
    std::vector<double> input_bias_;      // [H]
    std::vector<double> output_;          // [K][H] weights to the action's neuron
    std::vector<double> output_bias_;     // [K]
    mutable std::vector<double> hidden_;  // [H] of the last state
};

}  // namespace gimbal::learn
