// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "escape.hpp"

#include <cstdint>
#include <span>

/// The parallel loops, every one `schedule(runtime)`: the schedule is chosen from outside. One iteration is one pixel
/// and writes its own slot only, so that counts do not depend on the schedule or the number of threads.
/// The three differ only in the windows they are given; they are three loops so that each has its own schedule.
namespace mandelbrot {

/// Pixels [first, end): the whole image, or what a rank has been given of it.
struct Pixels {
    std::int64_t first = 0;
    std::int64_t end = 0;
};

/// @param counts  [image.pixels()]; only those of `pixels` are written
void constant_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts);
void rising_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts);
void falling_loop(const Image& image, const Window& window, Pixels pixels, std::span<std::uint32_t> counts);

/// The same counts by the calling thread alone: the work that the loops share out.
void serial_loop(const Image& image, const Window& window, std::span<std::uint32_t> counts);

/// One of the three: its name, its parallel loop, and where it looks in a step.
struct Picture {
    const char* name;
    void (*compute)(const Image&, const Window&, Pixels, std::span<std::uint32_t> counts);
    Window (*window)(std::int64_t step, std::int64_t steps);
};

/// @param number  1, 2 or 3: L1, L2 or L3   @errors std::out_of_range
const Picture& picture(int number);

}  // namespace mandelbrot
