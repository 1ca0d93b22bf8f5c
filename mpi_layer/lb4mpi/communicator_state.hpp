// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "team/errors.hpp"

namespace gimbal::lb4mpi {

/// What is kept for one communicator of the program: the names of its loops, and room for the arrays of its structures.
/// An attribute of the communicator; goes when that is freed, or with MPI.
///
/// Loops need names that are the same on all ranks. A title is one. Loops without a title are numbered: the first
/// structure that is set up gets 0, the next 1, ...; a setup that follows a loop starts again at 0. So a program that
/// sets up its structures anew in each time step gets the same few names again, and what was learnt goes on.
class CommunicatorState {
public:
    /// Local. @errors gimbal::Error: wrong_use (no communicator, an intercommunicator, MPI not running), mpi
    static CommunicatorState& of(MPI_Comm comm);

    explicit CommunicatorState(MPI_Comm comm);
    ~CommunicatorState();
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }

    /// The number of a structure that is set up now. Local; all ranks must set up in the same order.
    [[nodiscard]] int new_slot();
    /// @param structure  the loop's, and its weights: a copy of the one that was set up takes its arrays over
    void loop_begins(const void* structure, const double* weights) noexcept;

    /// What a structure's pointers lead to.
    struct Arrays {
        const void* structure;           ///< the address of the one that uses them, as far as is known
        std::uint64_t set_up_after;      ///< how many loops had begun by then
        std::vector<double> weights;     ///< [P + 1]
        std::vector<double> statistics;  ///< [3 (P + 1)]
    };
    /// Those of a structure that is set up: weights 1, statistics 0. They never move, and are valid as long as the
    /// state. Another setup at the same address uses them again if a loop has begun since then: a program that sets up
    /// in each time step takes no more memory for that, and one that copies structures which it sets up at one address,
    /// one after the other, before it begins loops with the copies, has arrays for each. @param structure  its address
    [[nodiscard]] Arrays& arrays_of(const void* structure);

    /// Agree on a loop's name. Collective; answers other ranks' requests while it waits.
    /// @param title       this rank's, or empty
    /// @param plain_name  what sort of loop this rank begins; with the slot's number, the name of one without a title
    /// @param iterations  N, >= 0; of distributed data 0
    /// @param item_bytes  of distributed data; else 0 [bytes]
    /// @return its number: see name()
    /// @errors gimbal::Error(wrong_use), on all ranks: the sort, N or the size is not the same everywhere; mpi
    int agree_on_name(std::string_view title, std::string_view plain_name, int slot, std::int64_t iterations,
                      int item_bytes);
    [[nodiscard]] const std::string& name(int number) const { return names_[static_cast<std::size_t>(number)]; }

    /// The communicators of DLS_GroupSetup.
    struct Groups {
        int coordinator;
        MPI_Comm foremen;  ///< the groups' first ranks; MPI_COMM_NULL on the others
        MPI_Comm group;    ///< this rank's
    };
    /// Those that were kept for that coordinator; nullptr: none. Local.
    [[nodiscard]] const Groups* groups(int coordinator) const noexcept;
    /// Keep them, so that a program may set up in each time step and never give its structures back. They go with this
    /// communicator, or with MPI.
    void keep(const Groups& groups) { groups_.push_back(groups); }
    /// Collective.
    void free_groups() noexcept;

    /// What the program's messages never meet. Collective when first asked for.
    [[nodiscard]] MPI_Comm duplicate();

    /// MPI ends: this rank begins no more loops. One that still wants to agree on a name with others hears of that.
    static void end_all_names() noexcept;

private:
    /// What ranks say when they agree on a name.
    using Words = std::array<std::uint64_t, 4>;
    /// What all ranks said lies between these.
    struct Range {
        std::uint64_t least, most;
        [[nodiscard]] bool one() const noexcept { return least == most; }
    };
    [[nodiscard]] static std::string text_of(const Range& range);
    /// Collective. @return for each word what the ranks said
    [[nodiscard]] std::array<Range, 4> range_of(const Words& mine);
    [[nodiscard]] MPI_Comm make_duplicate();
    void end_names();
    int number_of(std::string name);

    MPI_Comm comm_;
    MPI_Comm names_comm_ = MPI_COMM_NULL;  // nothing but agreement on names
    MPI_Comm duplicate_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int next_slot_ = 0;
    bool loop_since_setup_ = false;
    std::uint64_t loops_ = 0;  // that have begun
    std::vector<Groups> groups_;
    std::vector<std::string> names_;
    std::list<Arrays> arrays_;
};

/// Wait for a request, answering what other ranks ask meanwhile; foremen of other loops go on without this rank.
/// @errors gimbal::Error(mpi)
void wait_for(MPI_Request& request);

using mpi::check;

}  // namespace gimbal::lb4mpi
