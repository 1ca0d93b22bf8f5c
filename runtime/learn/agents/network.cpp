// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "learn/agents/network.hpp"

#include <algorithm>
#include <cmath>

namespace gimbal::learn {

Network::Network(std::size_t states, std::span<const double> bias, Random& random)
    : actions_(bias.size()),
      input_(states * kHidden),
      input_bias_(kHidden, 0.0),
      output_(actions_ * kHidden, 0.0),  // so that the outputs are the bias; they learn first, then the hidden layer
      output_bias_(bias.begin(), bias.end()),
      hidden_(kHidden) {
    // One-hot input: each hidden neuron sees one weight, so the weights may be as large as tanh is nearly linear.
    for (double& weight : input_) weight = 2 * random.unit() - 1;
}

void Network::activate(std::uint32_t state) const noexcept {
    const double* weights = &input_[state * kHidden];
    for (std::size_t h = 0; h < kHidden; ++h) hidden_[h] = std::tanh(weights[h] + input_bias_[h]);
}

void Network::forward(std::uint32_t state, std::span<double> values) const noexcept {
    activate(state);
    for (std::size_t a = 0; a < actions_; ++a) {
        const double* weights = &output_[a * kHidden];
        double sum = output_bias_[a];
        for (std::size_t h = 0; h < kHidden; ++h) sum += weights[h] * hidden_[h];
        values[a] = sum;
    }
}

double Network::value(std::uint32_t state, std::uint32_t action) const noexcept {
    activate(state);
    const double* weights = &output_[action * kHidden];
    double sum = output_bias_[action];
    for (std::size_t h = 0; h < kHidden; ++h) sum += weights[h] * hidden_[h];
    return sum;
}

void Network::descend(std::uint32_t state, std::uint32_t action, double error, double rate) noexcept {
    activate(state);
    double* in = &input_[state * kHidden];
    double* out = &output_[action * kHidden];
    for (std::size_t h = 0; h < kHidden; ++h) {
        const double back = error * out[h] * (1 - hidden_[h] * hidden_[h]);  // through tanh
        out[h] += rate * error * hidden_[h];
        in[h] += rate * back;
        input_bias_[h] += rate * back;
    }
    output_bias_[action] += rate * error;
}

void Network::scale_outputs(double factor) noexcept {
    for (double& weight : output_) weight *= factor;
    for (double& bias : output_bias_) bias *= factor;
}

void Network::copy(const Network& other) noexcept {
    std::ranges::copy(other.input_, input_.begin());
    std::ranges::copy(other.input_bias_, input_bias_.begin());
    std::ranges::copy(other.output_, output_.begin());
    std::ranges::copy(other.output_bias_, output_bias_.begin());
}

}  // namespace gimbal::learn
