// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "decide/level_learner.hpp"

namespace gimbal::pin {

/// Choices that are explored alike, with what is expected of them as a test writes it down.
inline Situation scripted_situation(std::size_t choices, std::vector<double> expected = {}) {
    return {.weights = [choices] { return std::vector<double>(choices, 1.0); },
            .expected = [expected] { return expected; }};
}

/// One thread at one level whose speed a test writes down: speed(tick, choice) -> utility, 0 when it is blocked.
class ScriptedLevel {
public:
    ScriptedLevel(const Settings& settings, std::size_t choices, std::uint64_t seed, std::size_t first = 0)
        : settings_(settings),
          learner_(settings_.resources.front(), settings_, 0),
          random_(seed),
          choices_(choices),
          current_(first) {
        learner_.enter(choices, first, settings_.sure, true);
    }

    /// @return reasons of all moves in these ticks
    template <class Speed>
    std::vector<Why> run(std::uint64_t ticks, const Speed& speed) {
        std::vector<Why> moves;
        Situation at = scripted_situation(choices_);
        for (std::uint64_t i = 0; i < ticks; ++i, ++now_) {
            learner_.see(speed(now_, current_));
            ++visits_[current_];
            if (!learner_.due()) continue;
            at.current = current_;
            at.now = now_;
            const Move move = learner_.decide(at, random_);
            if (move.choice != current_) {
                moves.push_back(move.why);
                last_move_ = now_;
            }
            current_ = move.choice;
        }
        return moves;
    }

    [[nodiscard]] std::size_t current() const noexcept { return current_; }
    [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
    [[nodiscard]] std::uint64_t last_move() const noexcept { return last_move_; }
    [[nodiscard]] std::uint64_t visits(std::size_t choice) { return visits_[choice]; }
    [[nodiscard]] const LevelLearner& learner() const noexcept { return learner_; }

private:
    Settings settings_;
    LevelLearner learner_;
    Random random_;
    std::size_t choices_;
    std::size_t current_;
    std::uint64_t now_ = 0;
    std::uint64_t last_move_ = 0;
    std::vector<std::uint64_t> visits_ = std::vector<std::uint64_t>(64);
};

}  // namespace gimbal::pin
