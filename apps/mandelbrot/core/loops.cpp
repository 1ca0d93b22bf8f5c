// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <cstddef>

namespace mandelbrot {

void constant_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void rising_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void falling_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void serial_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

}  // namespace mandelbrot
