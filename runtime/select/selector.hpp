// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "gimbal/technique.hpp"
#include "measure/record.hpp"

namespace gimbal {

/// What a selector decides for one execution of a loop.
struct Choice {
    const Technique* technique = nullptr;  ///< never nullptr once chosen
    std::uint64_t chunk = 0;               ///< chunk or minimum chunk [iterations]; 0: the technique's default
    double fraction = -1;                  ///< f_s, static fraction, in [0, 1]; < 0: the technique's own

    bool operator==(const Choice&) const = default;
};

/// What a selector may know about the loop it decides for.
struct LoopContext {
    std::uint64_t iterations = 0;  ///< N of the execution that starts [iterations]
    std::uint32_t workers = 1;     ///< P [count]
    bool monotonic = false;        ///< only techniques with ascending chunks will do
};

/// Decides which technique runs a loop, and learns from what it did (design 3.5). One instance per loop site; it never
/// sees OpenMP or MPI, so the same object serves threads and ranks.
/// @threads the loop site calls choose() and learn() under its own lock
class Selector {
public:
    virtual ~Selector() = default;

    [[nodiscard]] virtual Choice choose(const LoopContext& context) = 0;
    virtual void learn(const Choice& choice, const LoopRecord& record) = 0;

    /// Why this choice, in the words of the report: "GIMBAL_SCHEDULE", "default", ...
    [[nodiscard]] virtual std::string_view reason() const noexcept = 0;
};

/// The selector that the options ask for.
/// @errors std::bad_alloc
[[nodiscard]] std::unique_ptr<Selector> make_selector();

}  // namespace gimbal
