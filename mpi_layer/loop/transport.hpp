// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gimbal/rank_loop.h"
#include "gimbal/share.h"
#include "team/team.hpp"

namespace gimbal::mpi {

/// What to do about ranks that do not agree.
inline constexpr const char* kMustAgree =
    "all ranks must construct the loops of a communicator in the same order and with the same arguments";
inline constexpr const char* kRunByNobody = "ranks left a loop before its end; some of its iterations were not run";

/// How a rank leaves an execution.
enum class LeaveMode : std::uint8_t {
    in_order,  ///< others can still get what only this rank hands out: it may wait until that is with them
    at_once    ///< the communicator goes, and all ranks are about to leave
};

/// One execution of a loop, on one rank.
class RankExecution {
public:
    RankExecution() = default;
    RankExecution(const RankExecution&) = delete;
    RankExecution& operator=(const RankExecution&) = delete;
    virtual ~RankExecution() = default;

    /// What this rank draws from. If share.fast is 1, gimbal_share_next() on it is all that a draw takes.
    gimbal_share share{};
    /// What its chunks have in common: gimbal_rank_describe(). Where that is known with the first chunk only, the
    /// execution completes it then.
    gimbal_rank_chunk common{};

    /// Draw, whatever share.fast says and whether or not gimbal_share_next() brings something. @param first, end  out
    /// [iterations]  @return false: nothing is left
    virtual bool next(std::uint64_t& first, std::uint64_t& end) = 0;

    /// See Loop::finish(). @param first, end  of the chunk
    virtual bool finish(std::uint64_t first, std::uint64_t end) {
        static_cast<void>(first);
        static_cast<void>(end);
        return true;
    }

    /// This rank draws no more. Called once, before the object goes. @param how  at_once: it waits for nobody
    /// @errors gimbal::Error: wrong_use if the ranks do not agree and no draw has said so; mpi
    virtual void leave(LeaveMode how) = 0;
};

/// How chunks of one loop come to the ranks of a team; lives as long as the team. Executions of the loop are numbered
/// from 0 on every rank alike (the epoch); several may be in flight.
class Transport : public Member {
public:
    /// What one execution asks for; the same on all ranks.
    struct Request {
        std::uint64_t trip = 0;   ///< N [iterations]
        int schedule = 0;         ///< identifier > 0 (gimbal_rank_schedule())
        bool idempotent = false;  ///< chunks may be run again
    };

    /// Enter the next execution. Local; may wait for the root where that is what the transport needs.
    /// @errors gimbal::Error(wrong_use) if N differs from what another rank said and that can be seen; where it is seen
    ///         later, at a draw or when the rank leaves; mpi
    [[nodiscard]] virtual std::unique_ptr<RankExecution> enter(const Request& request) = 0;

    /// This rank's arguments for the next execution cannot be: it has no part in it, and the others get an error there.
    /// Local, as enter(). @errors mpi
    virtual void refuse() = 0;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;

    /// A loop over it begins, the `begun`-th of this rank.
    void note_begun(std::uint64_t begun) noexcept { last_begun_ = begun; }
    [[nodiscard]] std::uint64_t last_begun() const noexcept { return last_begun_; }

private:
    std::uint64_t last_begun_ = 0;
};

/// Each is collective over the team. `name` is the loop's.
[[nodiscard]] std::unique_ptr<Transport> make_shared_transport(Team& team, const std::string& name);
[[nodiscard]] std::unique_ptr<Transport> make_foreman_transport(Team& team, const std::string& name);
[[nodiscard]] std::unique_ptr<Transport> make_hierarchical_transport(Team& team, const std::string& name);

/// The one that the settings name, or the best for this team: `shared` on one node, `hierarchical` on several of which
/// one has more than one rank, else `foreman`.
/// @errors gimbal::Error(unsupported): the settings name `shared`, and the team spans several nodes
[[nodiscard]] std::unique_ptr<Transport> make_transport(Team& team, const std::string& name);

}  // namespace gimbal::mpi
