// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simulate/event_loop.hpp"

namespace gimbal::simulate {

/// What a simulated application is made from.
struct ApplicationRequest {
    std::string name = {};  ///< one of application_names()
    std::vector<std::pair<std::string, std::string>> parameters = {};
    std::uint32_t workers = 0;     ///< P [count]; 0: the application's own
    std::uint64_t iterations = 0;  ///< N [iterations]; 0: the application's own
    std::uint64_t steps = 0;       ///< [count]; 0: the application's own
    std::uint64_t seed = 0;        ///< of costs that are drawn
    std::uint32_t ranks = 0;       ///< whose threads the workers are [count]; 0: they are what the application says
};

/// A time-stepping program as the simulator knows it: what its loops cost, step by step, on workers of speed 1. A tick
/// is a nanosecond.
/// @threads one at a time
class Application {
public:
    virtual ~Application() = default;

    /// Costs of one loop in one step. @return valid until the next call
    /// @cost at most O(bins)
    [[nodiscard]] virtual const Work& work(std::size_t loop, std::uint64_t step) = 0;

    /// Iterations of one loop in one step; 0: the loop is not executed in it, and work() is not asked.
    [[nodiscard]] virtual std::uint64_t trip(std::size_t /*loop*/, std::uint64_t /*step*/) const noexcept {
        return iterations;
    }

    /// Steps of one frame cost the same.
    [[nodiscard]] virtual std::uint64_t frame(std::uint64_t step) const noexcept { return step; }

    std::string name;
    std::uint32_t workers = 1;       ///< P [count]
    std::uint64_t iterations = 0;    ///< N of every loop, or the largest if they differ [iterations]
    bool same_trips = true;          ///< every execution of every loop has that N
    std::uint64_t steps = 0;         ///< [count]
    std::vector<std::string> loops;  ///< names, at least one
    bool ranks = false;              ///< its workers are processes that ask a foreman, else threads of one process
};

/// pisolver mandelbrot evrard uniform triangular decreasing flip bump jump turns random normal power
[[nodiscard]] std::span<const std::string_view> application_names() noexcept;

/// Parameters and defaults of all applications, for help and documentation.
[[nodiscard]] std::string_view application_help() noexcept;

/// Split `name:key=value,key=value`. @errors gimbal::Error(wrong_use)
[[nodiscard]] ApplicationRequest parse_application(std::string_view text);

/// @errors gimbal::Error(wrong_use): no such application, no such parameter, a value outside its range
/// @cost mandelbrot: about two seconds; the others milliseconds
[[nodiscard]] std::unique_ptr<Application> make_application(ApplicationRequest request);

}  // namespace gimbal::simulate
