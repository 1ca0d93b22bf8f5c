// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "call_path.hpp"
#include "communicator.hpp"
#include "sleep.hpp"

namespace gimbal::waiting {

/// One collective call on one node: who waits for whom until the call can go on.
class Gathering final : public Awaited {
public:
    /// @param root    slot of the root; < 0: there is none, or it is on another node
    /// @param number  of the call on its communicator
    Gathering(Communicator& comm, Kind kind, int root, std::uint64_t number) noexcept
        : comm_(comm), kind_(kind), root_(root), number_(number), self_(node().slot()) {}

    bool is_there() noexcept override;
    bool is_hopeless() noexcept override;
    /// The call of this rank has ended. @return some that it waited for have not come: they did not have to (counts of
    /// 0), or have called MPI unseen, and the numbers of calls mean nothing any more
    [[nodiscard]] bool has_ended_without_others() noexcept;
    /// This rank has come: wake up those that can go on now.
    void wake_others() noexcept;
    /// When those that this rank waits for had come, and who was last of all.
    void look(Visit& visit) noexcept;

private:
    [[nodiscard]] bool awaits(int slot, bool below_self) const noexcept;
    [[nodiscard]] bool has_come(int slot) noexcept;
    /// Note how often it has looked for something. @return it has since the last note
    [[nodiscard]] bool note_polls(int slot) noexcept;
    [[nodiscard]] bool all_have_come(bool up_to_self) noexcept;
    [[nodiscard]] bool all_awaited_have_come() noexcept;

    Communicator& comm_;
    Kind kind_;
    int root_;
    std::uint64_t number_;
    int self_;
    Patience patience_;
    std::uint64_t entered_before_ = 0;         // calls of those that are awaited, at the last look of is_hopeless()
    std::vector<std::uint64_t> polls_before_;  // [slots] the same of those that only look, and one more
};

}  // namespace gimbal::waiting
