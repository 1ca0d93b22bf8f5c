// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "select/recording.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// GIMBAL_REPLAY: what ran in an earlier run, execution by execution; after the last one it stays with that. Executions
/// that somebody named a technique for are in the record, too, and count without being asked for here. A loop of
/// another length than it had is warned about once and follows all the same. Steps are counted as they were closed, so
/// executions that overlapped may change places.
/// @threads the owner locks
/// @source seed 000, the policy `custom`; test: tests/unit/select/recording_test.cpp
class ReplaySelector final : public Selector {
public:
    /// @param steps  not empty; must stay
    ReplaySelector(const std::vector<RecordedStep>& steps, std::string_view loop) : steps_(&steps), loop_(loop) {}

    [[nodiscard]] Decision choose(const LoopContext& context) override;
    void learn(const Decision&, const LoopRecord&, const LoopContext&) override {}

private:
    const std::vector<RecordedStep>* steps_;
    std::string loop_;  // for the warning
    bool warned_ = false;
};

}  // namespace gimbal
