// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image.hpp"

#include "common/mix.hpp"

namespace restore {

std::uint64_t checksum(const Image& image) {
    std::uint64_t sum = apps::mix(static_cast<std::uint64_t>(image.width()));
    std::uint64_t place = 0;
    for (const Plane& plane : image.planes) {
        for (const std::uint8_t sample : plane.samples) sum += apps::mix(apps::mix(++place) ^ sample);
    }
    return sum;
}

}  // namespace restore
