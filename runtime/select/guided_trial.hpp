// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace gimbal {

/// Guided, or gss, against static in a short loop, before anything holds it.
///
/// Looks at static (Leaving) show what its threads wait for each other: that can be saved at most. What is saved is
/// less where threads share a core's units, or find their data in their own caches. So guided, which needs no
/// measurements, runs three times in a row, and whichever took less time holds the loop. If that is static, and the
/// loop is left to it without proof, both run once more each time it is looked at again, one first and then the other.
/// @threads the owner locks
/// @source derived (decision 0066); test: tests/unit/select/guided_trial_test.cpp
class GuidedTrial {
public:
    enum class Runs : std::uint8_t { nothing, with_static, guided };

    /// What runs now.
    [[nodiscard]] Runs next() const noexcept;
    /// Whether it is known what holds the loop at first.
    [[nodiscard]] bool over() const noexcept { return weight_ > 0; }

    /// An execution under static. @param time  of the loop per work, less what leaving it would save
    /// @return whether more is known now of which is faster
    bool see_static(double time) noexcept { return see(static_, time); }
    /// The same under guided. @param time  of the loop per work
    bool see_guided(double time) noexcept { return see(guided_, time); }

    /// Time of guided over that of static. @pre over()
    [[nodiscard]] double ratio() const noexcept;
    /// Its standard error. @pre over()
    [[nodiscard]] double error() const noexcept;

    /// Whether guided was proven to be faster.
    [[nodiscard]] bool guided_won() const noexcept { return over() && proven() && weighed_ < 0; }

    /// The loop is left to static.
    void left() noexcept;

private:
    static constexpr std::uint32_t kRow = 3;  // executions
    struct Seen {
        std::array<double, kRow> times{};  // the last ones
        std::uint32_t count = 0;
        std::uint32_t to_come = kRow;
    };
    bool see(Seen& seen, double time) noexcept;
    void compare() noexcept;
    void add(double lead, double error) noexcept;
    [[nodiscard]] bool proven() const noexcept;

    Seen static_;
    Seen guided_;
    // Sums of 1 / error^2, and of log(guided / static) / error^2.
    double weight_ = 0;
    double weighed_ = 0;
    std::uint32_t turns_ = 0;  // times that the loop was left without proof
};

}  // namespace gimbal
