// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "escape.hpp"

#include <cstdint>
#include <span>

/// The parallel loops, every one `schedule(runtime)`: the schedule is chosen from outside. One iteration is one pixel
/// and writes its own slot only, so that counts do not depend on the schedule or the number of threads.
/// The three differ only in the windows they are given; they are three loops so that each has its own schedule.
namespace mandelbrot {

/// @param counts  [image.pixels()]
void constant_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts);
void rising_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts);
void falling_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts);

/// The same counts by the calling thread alone: the work that the loops share out.
void serial_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts);

}  // namespace mandelbrot
