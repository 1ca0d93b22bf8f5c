// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "select/replay.hpp"

#include <unistd.h>

#include "base/process_state.hpp"
#include "base/warnings.hpp"
#include "gimbal/error.hpp"
#include "gimbal/options.hpp"
#include "report/files.hpp"
#include "report/run_record.hpp"

namespace gimbal {

namespace {

struct Replayed {
    std::unique_ptr<const Recording> recording;
    std::string refusal;
};

Replayed read_replayed() {
    const std::string& named = options().select.replay;
    if (named.empty()) return {};
    std::string path = from_start(expand_pattern(named, describe_process()));
    if (access(path.c_str(), F_OK) != 0) path = from_start(named);
    try {
        return {std::make_unique<const Recording>(Recording::read(path)), {}};
    } catch (const Error& error) {
        return {nullptr, "\"" + path + "\" cannot be replayed: " + error.what()};
    }
}

// Never destroyed: loops may still start while the process ends.
const Replayed& replayed() {
    static const auto* const only = new Replayed(read_replayed());
    return *only;
}

}  // namespace

const Recording* recording_to_replay() {
    return replayed().recording.get();
}

const std::string& replay_refusal() {
    return replayed().refusal;
}

Decision ReplaySelector::choose(const LoopContext& context) {
    const bool recorded = context.step < steps_->size();
    const RecordedStep& step = recorded ? (*steps_)[context.step] : steps_->back();
    if (recorded && step.iterations != context.iterations && !warned_) {
        warned_ = true;
        // Without the numbers, which differ from team to team and from length to length: one warning for each loop.
        warn_once("GIMBAL_REPLAY: loop " + loop_ +
                  " has other numbers of iterations than in the record, which is followed anyway");
    }
    Decision decision{.schedule = step.schedule, .reason = "GIMBAL_REPLAY"};
    decision.within.technique = step.within;
    return decision;
}

}  // namespace gimbal
