// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace gimbal::mpi {

/// An execution that the root has decided and not learnt from.
struct Pending {
    std::uint64_t epoch = 0;
    void* execution = nullptr;
    std::uint64_t slot = 0;    // where in memory
    bool own_decision = true;  // false: it ran as the one before
    bool reruns = false;       // chunks that are not finished run again: flags say which are
};

/// The execution objects of one rank for one loop in shared memory: of the root those that it has decided, of the
/// others spare ones. Frees them in the end.
/// @threads one
/// @source docs/decisions/0014-ranks.md; test: tests/mpi/loop
class InFlight {
public:
    explicit InFlight(bool root) noexcept : root_(root) {}
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;
    ~InFlight();

    /// @pre the root, epochs ascend
    void add(std::uint64_t epoch, void* execution, std::uint64_t slot);
    /// @return nullptr: it is not decided, or done  @pre the root
    [[nodiscard]] Pending* find(std::uint64_t slot) noexcept;
    /// The oldest, if it is older than `epoch`, which is the next execution of this rank; nullptr: there is none
    [[nodiscard]] Pending* oldest_before(std::uint64_t epoch) noexcept;
    /// @pre there is one
    [[nodiscard]] Pending take_oldest();

    /// The object through which this rank enters an execution. @param own_decision  as Pending has it
    [[nodiscard]] void* object_for(std::uint64_t slot, bool own_decision);
    /// The rank has left; the root keeps its objects until it has learnt from them.
    void left(void* object);

private:
    bool root_;
    std::deque<Pending> pending_;
    std::vector<void*> spare_;
};

}  // namespace gimbal::mpi
