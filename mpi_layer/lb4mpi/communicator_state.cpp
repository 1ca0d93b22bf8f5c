// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/communicator_state.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "gimbal/error.hpp"
#include "team/meeting.hpp"
#include "team/own_mpi.hpp"

namespace gimbal::lb4mpi {

namespace {

constexpr std::uint64_t kEndsNames = 2;  // in place of the hash of a name, which is odd

int g_key = MPI_KEYVAL_INVALID;

/// Those that were not freed with their communicators; they go before MPI ends. The first setup, which is local, puts
/// them here; what is collective first moves them to the end, so that what MPI's end has to wait for is in one order on
/// all ranks. Never destroyed: a program may end MPI in a function of atexit() or in a destructor.
std::vector<CommunicatorState*>& all_states() {
    static auto* const states = new std::vector<CommunicatorState*>;
    return *states;
}

int free_state(MPI_Comm, int, void* freed, void*) {
    auto* const state = static_cast<CommunicatorState*>(freed);
    // When MPI ends, an attribute of MPI_COMM_WORLD may come here after free_all_states().
    if (std::erase(all_states(), state) == 0) return MPI_SUCCESS;
    state->free_groups();
    delete state;
    return MPI_SUCCESS;
}

// Groups stay: what belongs to them goes with MPI as well.
int free_all_states(MPI_Comm, int, void*, void*) {
    for (CommunicatorState* const state : std::exchange(all_states(), {})) delete state;
    return MPI_SUCCESS;
}

void make_keys() {
    if (g_key != MPI_KEYVAL_INVALID) return;
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &g_key, nullptr), "MPI_Comm_create_keyval");
    int at_end = MPI_KEYVAL_INVALID;  // attributes of MPI_COMM_SELF go first when MPI ends
    check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_all_states, &at_end, nullptr), "MPI_Comm_create_keyval");
    check(MPI_Comm_set_attr(MPI_COMM_SELF, at_end, nullptr), "MPI_Comm_set_attr");
}

}  // namespace

void wait_for(MPI_Request& request) {
    static_cast<void>(mpi::await(request, 0));  // without patience it comes back when the request is done
}

CommunicatorState& CommunicatorState::of(MPI_Comm comm) {
    mpi::require_running();
    mpi::require_usable(comm);
    make_keys();
    void* found = nullptr;
    int flag = 0;
    check(MPI_Comm_get_attr(comm, g_key, static_cast<void*>(&found), &flag), "MPI_Comm_get_attr");
    if (flag) return *static_cast<CommunicatorState*>(found);
    auto state = std::make_unique<CommunicatorState>(comm);
    check(MPI_Comm_set_attr(comm, g_key, state.get()), "MPI_Comm_set_attr");
    all_states().push_back(state.get());
    return *state.release();
}

CommunicatorState::CommunicatorState(MPI_Comm comm) : comm_(comm) {
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm, &size_), "MPI_Comm_size");
}

CommunicatorState::~CommunicatorState() {
    if (names_comm_ != MPI_COMM_NULL) MPI_Comm_free(&names_comm_);
    if (duplicate_ != MPI_COMM_NULL) MPI_Comm_free(&duplicate_);
}

int CommunicatorState::new_slot() {
    if (loop_since_setup_) next_slot_ = 0;
    loop_since_setup_ = false;
    return next_slot_++;
}

void CommunicatorState::loop_begins(const void* structure, const double* weights) noexcept {
    loop_since_setup_ = true;
    ++loops_;
    for (Arrays& arrays : arrays_) {
        if (arrays.weights.data() == weights) {
            arrays.structure = structure;
        } else if (arrays.structure == structure) {
            arrays.structure = nullptr;  // what lay there has been overwritten by a copy of another one
        }
    }
}

CommunicatorState::Arrays& CommunicatorState::arrays_of(const void* structure) {
    const auto length = static_cast<std::size_t>(size_) + 1;  // one more than needed: DLS4LB's had it
    const auto known = std::find_if(arrays_.begin(), arrays_.end(), [&](const Arrays& entry) {
        return !entry.structure || (entry.structure == structure && entry.set_up_after != loops_);
    });
    Arrays& arrays = known == arrays_.end() ? arrays_.emplace_back() : *known;
    arrays.structure = structure;
    arrays.set_up_after = loops_;
    arrays.weights.assign(length, 1);
    arrays.statistics.assign(3 * length, 0);
    return arrays;
}

const CommunicatorState::Groups* CommunicatorState::groups(int coordinator) const noexcept {
    const auto found = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const Groups& kept) { return kept.coordinator == coordinator; });
    return found == groups_.end() ? nullptr : &*found;
}

void CommunicatorState::free_groups() noexcept {
    for (Groups& kept : groups_) {
        MPI_Comm_free(&kept.group);
        if (kept.foremen != MPI_COMM_NULL) MPI_Comm_free(&kept.foremen);
    }
    groups_.clear();
}

MPI_Comm CommunicatorState::make_duplicate() {
    // Another loop may be open, and its ranks wait for this one's answers before they come here.
    const MPI_Comm made = mpi::duplicate(comm_);
    if (names_comm_ == MPI_COMM_NULL && duplicate_ == MPI_COMM_NULL) {
        std::erase(all_states(), this);
        all_states().push_back(this);
    }
    return made;
}

MPI_Comm CommunicatorState::duplicate() {
    if (duplicate_ == MPI_COMM_NULL) duplicate_ = make_duplicate();
    return duplicate_;
}

std::array<CommunicatorState::Range, 4> CommunicatorState::range_of(const Words& mine) {
    if (names_comm_ == MPI_COMM_NULL) names_comm_ = make_duplicate();
    // The least complement is that of the largest value.
    std::array<std::uint64_t, 8> least{};
    for (std::size_t i = 0; i < mine.size(); ++i) {
        least[2 * i] = mine[i];
        least[2 * i + 1] = ~mine[i];
    }
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Iallreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_UINT64_T, MPI_MIN, names_comm_,
                         &request),
          "MPI_Iallreduce");
    wait_for(request);
    std::array<Range, 4> ranges{};
    for (std::size_t i = 0; i < ranges.size(); ++i) ranges[i] = {least[2 * i], ~least[2 * i + 1]};
    return ranges;
}

std::string CommunicatorState::text_of(const Range& range) {
    return "from " + std::to_string(range.least) + " to " + std::to_string(range.most);
}

void CommunicatorState::end_names() {
    if (names_comm_ == MPI_COMM_NULL) return;
    while (!range_of({0, kEndsNames, 0, 0})[1].one()) {
    }
}

void CommunicatorState::end_all_names() noexcept {
    try {
        for (CommunicatorState* const state : all_states()) state->end_names();
    } catch (const Error&) {  // MPI has failed: nobody can be told
    }
}

int CommunicatorState::agree_on_name(std::string_view title, std::string_view plain_name, int slot,
                                     std::int64_t iterations, int item_bytes) {
    const auto [titles, names, lengths, sizes] = range_of(
        {title.empty() ? 0 : std::hash<std::string_view>{}(title) | 1, std::hash<std::string_view>{}(plain_name) | 1,
         static_cast<std::uint64_t>(iterations), static_cast<std::uint64_t>(item_bytes)});
    if (!names.one()) {
        throw Error(ErrorCode::wrong_use,
                    "the ranks begin different loops, or some of them called DLS_DataSetup or MPI_Finalize",
                    "all ranks of a communicator must begin its loops in the same order");
    }
    if (!lengths.one()) {
        throw Error(ErrorCode::wrong_use,
                    "the ranks do not agree on the number of iterations: it is " + text_of(lengths),
                    "all ranks of a communicator must begin its loops in the same order, each with the same first and "
                    "last iteration");
    }
    if (!sizes.one()) {
        throw Error(ErrorCode::wrong_use,
                    "the ranks do not agree on item_bytes of DLS_DataSetup: it is " + text_of(sizes),
                    "all ranks must have items of the same size: they are copied from rank to rank");
    }
    // A title that not all ranks have is what was in memory before.
    if (!title.empty() && titles.one()) return number_of(std::string(title));
    return number_of(std::string(plain_name).append(" ").append(std::to_string(slot)));
}

int CommunicatorState::number_of(std::string name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
    names_.push_back(std::move(name));
    return static_cast<int>(names_.size()) - 1;
}

}  // namespace gimbal::lb4mpi
