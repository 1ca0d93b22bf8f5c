// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include <array>
#include <cstddef>

namespace mandelbrot {

void constant_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void rising_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void falling_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t i = pixels.first; i < pixels.end; ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

void serial_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts) {
    for (std::int64_t i = 0; i < image.pixels(); ++i) {
        counts[static_cast<std::size_t>(i)] = pixel_count(image, window, i);
    }
}

const Picture& picture(int number) {
    static constexpr std::array<Picture, 3> kPictures{{
        {"L1", constant_loop, [](std::int64_t, std::int64_t) { return constant_window(); }},
        {"L2", rising_loop, rising_window},
        {"L3", falling_loop, falling_window},
    }};
    return kPictures.at(static_cast<std::size_t>(number) - 1);
}

}  // namespace mandelbrot
