// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gimbal/api.h"
#include "gimbal/rank_loop.h"
#include "team/node_memory.hpp"

namespace gimbal::mpi {

/// Anything that belongs to one name on one communicator and lives as long as the communicator: a loop's transport, a
/// steal loop's queues.
class Member {
public:
    virtual ~Member() = default;
    /// Answer what other ranks ask; called from every Gimbal function that waits, and while chunks run. Never waits.
    virtual void poll() {}
    /// Tell others whether this rank waits where it does nothing for this member (Absence). Never waits, never fails.
    virtual void say_absent(bool absent) noexcept { static_cast<void>(absent); }
    /// The team goes: this rank begins nothing more, and others may be waiting for it to. Never waits.
    virtual void retire() {}
    /// Another rank could not make this member, and it goes now: tell nobody, wait for nobody.
    virtual void abandon() noexcept {}
    /// All ranks are here and begin nothing more: take in what is still on its way. Collective. Not called if a rank
    /// may be dead. @param patience_s  as in meet()  @return false: not in time  @errors gimbal::Error(mpi)
    virtual bool settle(double patience_s) {
        static_cast<void>(patience_s);
        return true;
    }
};

/// An object of the program that uses a team, and that the program may keep for longer: an open loop.
class TeamUser {
public:
    /// The team goes. Wait for nobody, and use nothing of it afterwards.
    /// @param call  what the program called: "MPI_Finalize" or "MPI_Comm_free"
    /// @return whether the program ended it too early, so that it is to be told
    virtual bool close(const char* call) noexcept = 0;
    /// What a message calls it: loop "forces".
    [[nodiscard]] virtual std::string description() const = 0;

protected:
    ~TeamUser() = default;
};

/// The ranks of one communicator of the program, as Gimbal uses them: a duplicate of it, so that no message is ever
/// mistaken for one of the program's, and the nodes it spans. Found by an attribute of the program's communicator;
/// goes when that is freed, or with MPI.
/// @threads one at a time; those of different communicators at the same time, and poll_all() any
class Team {
public:
    /// The team of a communicator. Collective when it is first asked for; local afterwards.
    /// @errors gimbal::Error: wrong_use (no communicator, an intercommunicator, MPI not running, other settings on
    /// other
    ///         ranks), mpi
    static Team& of(MPI_Comm program_comm);
    /// Teams end with MPI by an attribute of MPI_COMM_SELF. MPI deletes these in the reverse order of their setting:
    /// what must go before the teams, in the same order on all ranks, sets its own after this. Local.
    /// @errors gimbal::Error(mpi)
    GIMBAL_API static void prepare_end();
    /// MPI ends: close what the program still has open on any team, and begin nothing more; the teams themselves go
    /// later, together with those of the other ranks. Local, never waits. Later calls do nothing.
    GIMBAL_API static void begin_end() noexcept;

    explicit Team(MPI_Comm program_comm);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    /// The duplicate. Its error handler returns codes: check() them.
    [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    /// The same on all ranks, and of this team only: its first rank in MPI_COMM_WORLD, and a number there.
    [[nodiscard]] const std::array<std::uint64_t, 2>& number() const noexcept { return number_; }

    /// Ranks of this rank's node; GIMBAL_MPI_NODE_RANKS=k pretends nodes of k ranks.
    [[nodiscard]] MPI_Comm node_comm() const noexcept { return node_comm_; }
    [[nodiscard]] int node_rank() const noexcept { return node_rank_; }
    [[nodiscard]] int node_size() const noexcept { return node_size_; }
    /// Nodes are numbered from 0 in the order of their lowest rank.
    [[nodiscard]] int node() const noexcept { return node_of_[static_cast<std::size_t>(rank_)]; }
    [[nodiscard]] int nodes() const noexcept { return nodes_; }
    /// [size] node of each rank.
    [[nodiscard]] const std::vector<int>& node_of() const noexcept { return node_of_; }

    /// See NodeMemory::take(); what nobody uses of it takes no memory. As long as the team; collective over it.
    [[nodiscard]] std::byte* take_node_memory(std::size_t bytes) {
        return node_memory_.take(comm_, node_comm_, nodes_ > 1, bytes);
    }

    [[nodiscard]] const gimbal_rank_settings& settings() const noexcept { return settings_; }

    /// The member of that kind and name. Local. @param kind  "loop" or "steal"  @return nullptr: it is not made yet
    [[nodiscard]] Member* find(std::string_view kind, std::string_view name) const;
    /// All that are of that kind, by their names. Local.
    [[nodiscard]] std::vector<std::pair<std::string_view, Member*>> all_of(std::string_view kind) const;
    /// Make that member. Collective. Where ranks cannot make it, no rank has it; if others could, their tags and memory
    /// differ from then on, and the team gets no more members.
    /// @param terms  what it is and what the ranks must agree on, for a message: loop "forces", 1000 iterations
    /// @errors gimbal::Error(wrong_use), the same on all ranks: they are here with different terms; mpi: also where
    ///         another rank could not make this one or an earlier one, unless this rank waits for it within MPI by
    ///         then. What `make` throws on this rank
    Member& make_member(std::string_view kind, std::string_view name, const std::string& terms,
                        const std::function<std::unique_ptr<Member>()>& make);

    /// An object of the program uses this team from now on; until remove(), or until the team has closed it.
    void add(TeamUser& user) { users_.push_back(&user); }
    void remove(const TeamUser& user) noexcept;

    /// Let every member answer. Never waits.
    void poll();
    /// The same for all teams of this process.
    static void poll_all();
    /// See Member::say_absent(), for all members of all teams of this process.
    static void say_absent_to_all(bool absent) noexcept;

    /// Close what the program still has open. Local. @param call  see TeamUser::close()
    void close_users(const char* call) noexcept;

    /// A range of tags nobody else uses on comm(): [first, first + count). Collective in the sense that all ranks must
    /// ask in the same order.
    [[nodiscard]] int tags(int count);

private:
    void make_nodes();
    void agree_on_number();
    void give_up(std::unique_ptr<Member> made, const std::string& terms, int failed);
    void retire();
    void retire_members() noexcept;
    [[nodiscard]] bool come_together();

    MPI_Comm comm_ = MPI_COMM_NULL;
    MPI_Comm node_comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    int node_rank_ = 0;
    int node_size_ = 1;
    int nodes_ = 1;
    int next_tag_ = 1;
    std::array<std::uint64_t, 2> number_{};
    std::vector<int> node_of_;
    gimbal_rank_settings settings_{};
    NodeMemory node_memory_;
    bool retired_ = false;
    bool settled_ = true;  // no message on comm_ is on its way when it is freed
    std::map<std::string, std::unique_ptr<Member>, std::less<>> members_;
    std::vector<Member*> in_order_;  // members as they were made: freed in reverse, the same on all ranks
    std::vector<TeamUser*> users_;   // the latest at the end
    std::string incomplete_;         // why it gets no more members
    std::string left_open_;          // what to tell the program about one of them
};

}  // namespace gimbal::mpi
