// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

#include "loop/rerun.hpp"
#include "loop/shared.hpp"

namespace gimbal::mpi {

/// The ranks of an execution do not agree. @param mine  N of this rank  @param other  as SlotHeader::other has it
[[noreturn]] void throw_shared_disagreement(std::uint64_t mine, std::uint64_t other);

/// An execution on one rank that draws from shared memory. Loop::next() draws by gimbal_share_next() while that brings
/// something; what is looked at here costs such draws nothing.
class SharedExecution final : public RankExecution {
public:
    /// @param execution  prepared  @param reruns  chunks that are late are run again
    SharedExecution(SharedTransport& transport, std::uint64_t slot, void* execution, bool reruns);

    /// @errors gimbal::Error(wrong_use): another rank does not agree
    bool next(std::uint64_t& first, std::uint64_t& end) override;
    bool finish(std::uint64_t first, std::uint64_t) override { return !rerun_ || rerun_->finish(first); }
    /// @errors as next(), unless that said so
    void leave(LeaveMode how) override;

private:
    bool next_robust(std::uint64_t& first, std::uint64_t& end);
    bool next_left(std::uint64_t& first, std::uint64_t& end);
    [[nodiscard]] bool overdue() const noexcept;
    [[nodiscard]] std::uint64_t other() const noexcept;
    void require_agreement();

    SharedTransport& transport_;
    std::uint64_t slot_;
    void* execution_;
    std::optional<Rerun> rerun_;
    std::uint64_t limit_ = 0;  // of a trial [ticks]; 0: none
    std::uint64_t begun_ = 0;  // [ticks]
    bool told_ = false;        // that the ranks do not agree
};

}  // namespace gimbal::mpi
