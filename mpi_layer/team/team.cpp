// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "team/team.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>

#include "gimbal/error.hpp"
#include "gimbal/per_rank.hpp"
#include "team/errors.hpp"
#include "team/meeting.hpp"
#include "team/own_mpi.hpp"

namespace gimbal::mpi {

namespace {

// Of what ranks share and send: SharedSlots, ChunkQueues, ChunkRequest and ChunkReply, the queues, message counts and
// messages of steal loops, packets and parts of the core. To be raised with every change there; assertions about sizes
// beside them say so, but see nothing of what is put into the gap at the end of a structure.
constexpr int kLayout = 3;
constexpr double kGone_s = 10;  // robust: a rank that is not at the end so long after another counts as gone

/// All teams of this rank. Threads may have loops on communicators of their own, and each polls for all of them.
struct Teams {
    // Of `teams`, and of the members of each. Never held while this rank waits for another; who polls may be called by
    // what polls.
    std::recursive_mutex lock;
    int key = MPI_KEYVAL_INVALID;           // of the program's communicators: their team
    int finalize_key = MPI_KEYVAL_INVALID;  // of MPI_COMM_SELF, whose attributes go first when MPI ends
    bool ending = false;                    // MPI_Finalize has been called
    bool told = false;                      // and it has been said that loops are open
    std::uint64_t numbered = 0;             // teams whose first rank this is, since the beginning
    std::vector<Team*> teams;
};

Teams& all() {
    static PerRank<Teams> of_this_rank;
    return of_this_rank.here();
}

// Where MPI ends, a team can be gone already (free_all_teams()) when its communicator's attributes go.
int free_team(MPI_Comm comm, int, void* freed, void*) {
    Teams& own = all();
    Team* team = nullptr;
    {
        const std::lock_guard<std::recursive_mutex> held(own.lock);
        const auto found = std::find(own.teams.begin(), own.teams.end(), freed);
        if (found == own.teams.end()) return MPI_SUCCESS;
        team = *found;
    }
    // No program frees that one: MPI ends. Its attributes go in the reverse order of their setting, this one first.
    if (comm == MPI_COMM_SELF) own.ending = true;
    team->close_users(own.ending ? "MPI_Finalize" : "MPI_Comm_free");
    delete team;
    return MPI_SUCCESS;
}

// Teams of communicators that the program never freed, MPI_COMM_WORLD's among them; in the order of their numbers,
// which is the same on all ranks: that of their making need not be where several threads made them. Only one thread is
// there when MPI ends.
int free_all_teams(MPI_Comm, int, void*, void*) {
    Teams& own = all();
    Team::begin_end();
    {
        const std::lock_guard<std::recursive_mutex> held(own.lock);
        std::stable_sort(own.teams.begin(), own.teams.end(),
                         [](const Team* a, const Team* b) { return a->number() < b->number(); });
    }
    while (!own.teams.empty()) delete own.teams.front();
    return MPI_SUCCESS;
}

void make_keys() {
    Teams& own = all();
    const std::lock_guard<std::recursive_mutex> held(own.lock);
    if (own.key != MPI_KEYVAL_INVALID) return;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_team, &own.key, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all_teams, &own.finalize_key, nullptr),
          "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, own.finalize_key, nullptr), "MPI_Comm_set_attr");
}

// What decides how memory and messages are laid out: ranks of two builds would misread each other.
std::string described(const gimbal_rank_settings& settings) {
    static constexpr std::array kTransports{"auto", "shared", "foreman", "hierarchical"};
    const auto transport = static_cast<std::size_t>(settings.transport);
    return std::string("GIMBAL_MPI_TRANSPORT=") + (transport < kTransports.size() ? kTransports[transport] : "?") +
           " GIMBAL_MPI_ROBUST=" + (settings.robust ? "on" : "off") +
           " GIMBAL_MPI_NODE_RANKS=" + std::to_string(settings.node_ranks) +
           " with Gimbal " GIMBAL_VERSION ", layout " + std::to_string(kLayout);
}

}  // namespace

void Team::prepare_end() {
    make_keys();
}

void Team::begin_end() noexcept {
    Teams& own = all();
    own.ending = true;
    for (Team* const team : own.teams) team->close_users("MPI_Finalize");
    for (Team* const team : own.teams) team->retire_members();
}

Team& Team::of(MPI_Comm program_comm) {
    require_running();
    require_usable(program_comm);
    make_keys();
    void* found = nullptr;
    int flag = 0;
    check(MPI_Comm_get_attr(program_comm, all().key, static_cast<void*>(&found), &flag), "MPI_Comm_get_attr");
    if (flag) return *static_cast<Team*>(found);
    await_all(program_comm, "the first loop of this communicator");
    auto team = std::make_unique<Team>(program_comm);
    check(MPI_Comm_set_attr(program_comm, all().key, team.get()), "MPI_Comm_set_attr");
    return *team.release();
}

Team::Team(MPI_Comm program_comm) {
    gimbal_rank_settings_get(&settings_);
    comm_ = duplicate(program_comm);
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
    try {
        meet_and_agree(comm_, described(settings_));
    } catch (const Error&) {
        MPI_Comm_free(&comm_);
        throw;
    }
    make_nodes();
    agree_on_number();
    const std::lock_guard<std::recursive_mutex> held(all().lock);
    all().teams.push_back(this);
}

void Team::agree_on_number() {
    int first = 0;
    check(MPI_Comm_rank(MPI_COMM_WORLD, &first), "MPI_Comm_rank");
    if (rank_ == 0) {
        const std::lock_guard<std::recursive_mutex> held(all().lock);
        number_ = {static_cast<std::uint64_t>(first), ++all().numbered};
    }
    check(MPI_Bcast(number_.data(), static_cast<int>(number_.size()), MPI_UINT64_T, 0, comm_), "MPI_Bcast");
}

void Team::make_nodes() {
    check(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_comm_), "MPI_Comm_split_type");
    check(MPI_Comm_rank(node_comm_, &node_rank_), "MPI_Comm_rank");
    if (settings_.node_ranks > 0) {
        MPI_Comm part = MPI_COMM_NULL;
        check(MPI_Comm_split(node_comm_, node_rank_ / static_cast<int>(settings_.node_ranks), rank_, &part),
              "MPI_Comm_split");
        MPI_Comm_free(&node_comm_);
        node_comm_ = part;
        check(MPI_Comm_rank(node_comm_, &node_rank_), "MPI_Comm_rank");
    }
    check(MPI_Comm_set_errhandler(node_comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_size(node_comm_, &node_size_), "MPI_Comm_size");
    int first = rank_;
    check(MPI_Bcast(&first, 1, MPI_INT, 0, node_comm_), "MPI_Bcast");
    node_of_.resize(static_cast<std::size_t>(size_));
    check(MPI_Allgather(&first, 1, MPI_INT, node_of_.data(), 1, MPI_INT, comm_), "MPI_Allgather");
    std::vector<int> firsts = node_of_;
    std::sort(firsts.begin(), firsts.end());
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    nodes_ = static_cast<int>(firsts.size());
    for (int& node : node_of_)
        node = static_cast<int>(std::lower_bound(firsts.begin(), firsts.end(), node) - firsts.begin());
}

Team::~Team() {
    retire();
    {
        const std::lock_guard<std::recursive_mutex> held(all().lock);
        std::erase(all().teams, this);
    }
    for (auto member = in_order_.rbegin(); member != in_order_.rend(); ++member) {
        std::erase_if(members_, [&](const auto& entry) { return entry.second.get() == *member; });
    }
    node_memory_.free();
    if (node_comm_ != MPI_COMM_NULL) MPI_Comm_free(&node_comm_);
    // Else what is on its way would come to the communicator that MPI makes next.
    if (comm_ != MPI_COMM_NULL && settled_) MPI_Comm_free(&comm_);
}

void Team::retire_members() noexcept {
    if (std::exchange(retired_, true)) return;
    try {
        for (Member* const member : in_order_) member->retire();
    } catch (const Error&) {  // what follows fails likewise
    }
}

void Team::retire() {
    retire_members();
    try {
        settled_ = come_together();
    } catch (const Error&) {  // what cannot be gathered cannot be answered either
        settled_ = false;
    }
}

// A rank may still be where it begins something new with others, which never come: it hears of that, and comes here.
// @return false: a rank may be gone, or had gone on when this one came
bool Team::come_together() {
    const double patience_s = settings_.robust ? kGone_s : 0;
    Meeting meeting;
    const bool tells = !left_open_.empty() && !all().told;
    const bool says = !all().ending;  // ranks may end at very different times
    while (!(meeting = meet(comm_, kEndsLoops, tells, patience_s, says)).disagreement.empty()) {
        if (meeting.speaks)
            say("calls MPI_Finalize or frees a communicator while other ranks begin a loop: " + meeting.disagreement);
    }
    if (meeting.first_of_some == rank_) say(left_open_);
    if (meeting.first_of_some >= 0 && all().ending) all().told = true;
    if (meeting.missed) return false;
    return std::all_of(in_order_.begin(), in_order_.end(), [&](Member* member) { return member->settle(patience_s); });
}

void Team::close_users(const char* call) noexcept {
    while (!users_.empty()) {
        TeamUser& user = *users_.back();
        users_.pop_back();
        if (!user.close(call) || !left_open_.empty()) continue;
        try {
            left_open_ = "calls " + std::string(call) + " while " + user.description() +
                         " is open. Gimbal closes it: this rank runs no more of it. Go on until nothing is left, or "
                         "leave the loop, before " +
                         call;
        } catch (...) {
            left_open_ = "left loops open";  // as long as a text may be that takes no memory
        }
    }
}

void Team::remove(const TeamUser& user) noexcept {
    const auto found = std::find(users_.rbegin(), users_.rend(), &user);
    if (found != users_.rend()) users_.erase(std::next(found).base());
}

namespace {

// The lowest rank of those that are so; -1: there is none. Some may have failed before what others begin inside of it:
// these hear of that there, and come here, too.
int first_of_some(MPI_Comm comm, const std::string& terms, bool one) {
    Meeting meeting;
    do {
        meeting = meet(comm, terms, one);
    } while (!meeting.disagreement.empty());
    return meeting.first_of_some;
}

std::string key_of(std::string_view kind, std::string_view name) {
    std::string key(kind);
    key += ' ';
    key += name;
    return key;
}

}  // namespace

Member* Team::find(std::string_view kind, std::string_view name) const {
    const auto found = members_.find(key_of(kind, name));
    return found == members_.end() ? nullptr : found->second.get();
}

std::vector<std::pair<std::string_view, Member*>> Team::all_of(std::string_view kind) const {
    std::vector<std::pair<std::string_view, Member*>> all;
    for (const auto& [key, member] : members_)
        if (key.starts_with(key_of(kind, "")))
            all.emplace_back(std::string_view(key).substr(kind.size() + 1), member.get());
    return all;
}

// All ranks do this.
void Team::give_up(std::unique_ptr<Member> made, const std::string& terms, int failed) {
    if (first_of_some(comm_, terms, made != nullptr) < 0) return;  // all have failed alike, and may try again
    incomplete_ = terms + " could not be made on rank " + std::to_string(failed) +
                  " of the communicator, which says why. No more loops can be begun on that communicator";
    if (made) made->abandon();
}

Member& Team::make_member(std::string_view kind, std::string_view name, const std::string& terms,
                          const std::function<std::unique_ptr<Member>()>& make) {
    if (!incomplete_.empty()) throw Error(ErrorCode::mpi, incomplete_);
    meet_and_agree(comm_, terms);
    std::unique_ptr<Member> own;
    std::exception_ptr failure;
    try {
        own = make();
    } catch (...) {
        failure = std::current_exception();
    }
    const int failed = first_of_some(comm_, terms, failure != nullptr);
    if (failed >= 0) give_up(std::move(own), terms, failed);
    if (failure) std::rethrow_exception(failure);
    if (failed >= 0) throw Error(ErrorCode::mpi, incomplete_);
    Member& made = *members_.emplace(key_of(kind, name), std::move(own)).first->second;
    const std::lock_guard<std::recursive_mutex> held(all().lock);
    in_order_.push_back(&made);
    return made;
}

void Team::poll() {
    for (Member* const member : in_order_) member->poll();
}

void Team::poll_all() {
    Teams& own = all();
    const std::unique_lock<std::recursive_mutex> held(own.lock, std::try_to_lock);
    if (!held) return;  // another thread is at it
    for (Team* const team : own.teams) team->poll();
}

void Team::say_absent_to_all(bool absent) noexcept {
    Teams& own = all();
    const std::lock_guard<std::recursive_mutex> held(own.lock);
    for (Team* const team : own.teams)
        for (Member* const member : team->in_order_) member->say_absent(absent);
}

int Team::tags(int count) {
    const int first = next_tag_;
    next_tag_ += count;
    return first;
}

}  // namespace gimbal::mpi
