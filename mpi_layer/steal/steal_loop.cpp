// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gimbal/mpi/steal_loop.hpp"

#include <utility>

#include "gimbal/plain_text.hpp"
#include "steal/steal_group.hpp"
#include "team/team.hpp"

namespace gimbal::mpi {

namespace {

constexpr double kConfigured = 0;
constexpr double kAgent = -1;
constexpr double kFair = -2;

bool is_allowed(double ratio) {
    return ratio == kFair || ratio == kAgent || (ratio >= kConfigured && ratio <= 1);
}

void require_sound(std::string_view name, const StealRequest& request, const StealOptions& options) {
    const std::string loop = "steal loop \"" + std::string(name) + "\": ";
    if (request.owned < 0)
        throw Error(ErrorCode::wrong_use, loop + "this rank owns " + std::to_string(request.owned) + " items",
                    "a rank without items owns 0");
    if (options.run_at_once < 0)
        throw Error(ErrorCode::wrong_use, loop + "run_at_once is " + std::to_string(options.run_at_once),
                    "a number of items, or 0 for what GIMBAL_MPI_POLL_US allows");
    if (!is_allowed(options.ratio))
        throw Error(ErrorCode::invalid_option,
                    loop + "the steal ratio " + significant_digits(options.ratio, 6) + " is not allowed",
                    "allowed: (0, 1]; 0: GIMBAL_MPI_STEAL_RATIO; -1: the agent chooses; -2: a fair share");
    using Rule = StealOptions::Rule;
    if (options.rule != Rule::configured && options.rule != Rule::nearest && options.rule != Rule::seed)
        throw Error(ErrorCode::invalid_option,
                    loop + "there is no rule " + std::to_string(static_cast<int>(options.rule)),
                    "allowed: configured (0), nearest (1), seed (2)");
    const StealWork& work = request.work;
    const char* const missing = !work.run ? "run" : !work.pack ? "pack" : !work.run_stolen ? "run_stolen" : nullptr;
    if (missing)
        throw Error(ErrorCode::wrong_use, loop + "the callback " + missing + " is missing",
                    "run, pack and run_stolen are needed on every rank; accept may be left out");
}

// Also where the arguments cannot be: then as the other ranks probably run it.
bool by_seed(const Team& team, StealOptions::Rule rule) {
    if (rule == StealOptions::Rule::nearest) return false;
    return rule == StealOptions::Rule::seed || team.settings().steal_rule == GIMBAL_STEAL_SEED;
}

// As StealView has it; < 0: the agent chooses.
double ratio_of(const Team& team, const StealOptions& options) {
    if (options.ratio == kFair) return 0;
    return is_allowed(options.ratio) && options.ratio != kConfigured ? options.ratio : team.settings().steal_ratio;
}

}  // namespace

struct StealLoop::State final : TeamUser {
    Team* team;  // nullptr: it has closed this
    StealGroup* group;
    StealRequest request;
    std::string name;
    bool ran = false;
    bool over = false;
    const char* closed_by = nullptr;  // the call that ended the loop before the program ran it

    State(Team& the_team, StealGroup& the_group, StealRequest the_request)
        : team(&the_team), group(&the_group), request(std::move(the_request)), name(the_group.name()) {
        team->add(*this);
    }
    ~State() {
        if (team) team->remove(*this);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    bool close(const char* call) noexcept override {
        team = nullptr;
        group = nullptr;
        closed_by = call;
        return !over;
    }
    [[nodiscard]] std::string description() const override { return "the steal loop \"" + name + "\""; }
};

StealLoop::StealLoop(MPI_Comm comm, std::string_view name, std::int64_t owned, StealWork work,
                     const StealOptions& options) {
    Team& team = Team::of(comm);
    StealRequest request{.work = std::move(work),
                         .owned = owned,
                         .run_at_once = options.run_at_once,
                         .by_seed = by_seed(team, options.rule),
                         .ratio = ratio_of(team, options)};
    StealGroup& group = StealGroup::of(team, name, request);
    try {
        require_sound(name, request, options);
    } catch (const Error&) {
        // The other ranks' arguments may be sound: nobody waits for this one's run() then.
        group.refuse(Refusal::wrong_arguments);
        throw;
    }
    state_ = std::make_unique<State>(team, group, std::move(request));
}

StealLoop::~StealLoop() = default;
StealLoop::StealLoop(StealLoop&&) noexcept = default;

StealRecord StealLoop::run() {
    if (state_ && !state_->ran && state_->closed_by)
        throw Error(ErrorCode::wrong_use,
                    std::string("run() after ") + state_->closed_by + ", which ended " + state_->description(),
                    std::string("loops must end before ") + state_->closed_by);
    if (!state_ || state_->ran)
        throw Error(ErrorCode::wrong_use, "run() of a steal loop is called a second time, or after it was moved from",
                    "construct another one for the next execution");
    state_->ran = true;
    const struct Ending {
        bool& over;
        ~Ending() { over = true; }
    } ending{state_->over};
    try {
        return state_->group->run(state_->request);
    } catch (const GroupGone&) {
        throw Error(ErrorCode::wrong_use,
                    std::string("a callback called ") + state_->closed_by + ", which ended " + state_->description(),
                    std::string("loops must end before ") + state_->closed_by);
    }
}

}  // namespace gimbal::mpi
