// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"

#include <cstdint>

namespace restore {

enum class NoiseKind {
    salt_and_pepper,  ///< a pixel becomes black or white, or stays as it is
    gaussian          ///< every pixel is a little off
};

/// Noise to put into a clean image, the same for the same seed wherever it is made.
struct Noise {
    NoiseKind kind = NoiseKind::salt_and_pepper;
    double amount = 0;    ///< salt and pepper: share of the pixels [%], in [0, 100]; Gaussian: variance, >= 0
    bool patchy = false;  ///< only half of the patches get so much, the others a twentieth of it
    std::uint64_t seed = 1;
};

/// A clean image with noise. @param frame  tells the frames of a sequence apart
/// @errors none   @threads pure   @cost O(pixels)
Image with_noise(const Image& clean, const Noise& noise, std::uint64_t frame = 0);

}  // namespace restore
