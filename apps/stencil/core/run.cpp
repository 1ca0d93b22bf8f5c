// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "run.hpp"

#include "common/clock.hpp"
#include "loops.hpp"

#include <limits>
#include <stdexcept>
#include <utility>

namespace stencil {

double tolerance(std::int64_t steps) {
    return 1e-12 + static_cast<double>(steps) * std::numeric_limits<double>::epsilon();
}

Result run(const Config& config) {
    Result result;
    result.name = "update";
    Mesh now = sine_mode(config.size, config.mode);
    Mesh next(config.size);
    for (std::int64_t step = 0; step < config.steps; ++step) {
        result.times_s.push_back(apps::seconds_of([&] { update_loop(now, next, config.noise, step); }));
        if (config.serial_check) {
            Mesh again(config.size);
            result.serial_s.push_back(apps::seconds_of([&] { serial_loop(now, again, config.noise, step); }));
            if (again != next) throw std::runtime_error("the mesh differs from that of one thread");
        }
        std::swap(now, next);
    }
    result.checksum = checksum(now);
    result.error = relative_error(now, config.mode, config.steps);
    if (!(result.error <= tolerance(config.steps))) throw std::runtime_error("the mesh is not the exact solution");
    return result;
}

}  // namespace stencil
