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
    bool own = false;  // what was refused is a file of this rank's own
};

Replayed read_replayed() {
    const std::string& named = options().select.replay;
    if (named.empty()) return {};
    RunRecord process = describe_process();
    const std::string mine = from_start(expand_pattern(named, process));
    process.rank = 0;
    const std::string first = from_start(expand_pattern(named, process));
    const auto there = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
    // Loops over ranks stand in rank 0's file only.
    const std::string path = there(mine) ? mine : there(from_start(named)) ? from_start(named) : first;
    try {
        return {std::make_unique<const Recording>(Recording::read(path)), {}, false};
    } catch (const Error& error) {
        return {nullptr, "\"" + path + "\" cannot be replayed: " + error.what(), path != first && path == mine};
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

bool replays_own_file() {
    return replayed().own;
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
