// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapped_call.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "arrivals.hpp"
#include "gimbal/rank_cores.h"
#include "gimbal/rank_waiting.h"
#include "messages.hpp"
#include "node.hpp"
#include "program_mpi.hpp"
#include "yield.hpp"

// Not there where libgimbal.so is not, or is older: then nothing is measured, respectively lent.
#pragma weak gimbal_rank_waiting_settings
#pragma weak gimbal_rank_waiting_source
#pragma weak gimbal_rank_waiting_expect
#pragma weak gimbal_rank_waiting_enter
#pragma weak gimbal_rank_waiting_leave
#pragma weak gimbal_rank_is_crowded
#pragma weak gimbal_rank_cores_on
#pragma weak gimbal_rank_cores_show
#pragma weak gimbal_rank_cores_attach
#pragma weak gimbal_rank_cores_detach

namespace gimbal::waiting {

constinit Mode g_mode;
constinit __attribute__((tls_model("initial-exec"))) thread_local Current t_current{};

namespace {

constexpr std::uint32_t kNotMeasured = 1, kNotElastic = 2;
constexpr std::size_t kFewMembers = 16;  // of a node, whose arrivals are looked at after every call [count]

/// Sums of the rank. Threads that are in MPI one after the other all add to them. Where they may be there at once it is
/// the one that began MPI, or as long as that one makes no calls the first other one that does.
struct Sums {
    std::atomic<std::uint64_t> calls{0}, time_ns{0}, waiting_ns{0}, asleep_ns{0};
};
constinit Sums g_sums;
constinit __attribute__((tls_model("initial-exec"))) thread_local bool t_is_main = false;
constinit __attribute__((tls_model("initial-exec"))) thread_local bool t_adds = false;
enum class Adds : std::uint8_t { nobody, another, main };
Adds g_adds = Adds::nobody;  // under g_adding

std::atomic<bool> g_many_threads{false};  // may call MPI at once
std::atomic<bool> g_unheard{false};       // requests may be completed by what wakes nobody
std::mutex g_adding;

double seconds(const std::atomic<std::uint64_t>& ns) noexcept {
    return 1e-9 * static_cast<double>(ns.load(std::memory_order_relaxed));
}

std::size_t tell(gimbal_waiting_sums* sums, gimbal_waiting_path* paths, size_t capacity) {
    const std::uint64_t begin_ns = g_mode.begin_ns.load(std::memory_order_relaxed);
    const std::uint64_t end_ns = g_mode.end_ns.load(std::memory_order_relaxed);
    *sums = {.window_s = 1e-9 * static_cast<double>((end_ns ? end_ns : now_ns()) - begin_ns),
             .mpi_s = seconds(g_sums.time_ns),
             .waiting_s = seconds(g_sums.waiting_ns),
             .asleep_s = seconds(g_sums.asleep_ns),
             .calls = g_sums.calls.load(std::memory_order_relaxed),
             .sleeps = sleeps_so_far()};
    return longest_paths({paths, capacity});
}

}  // namespace

WrappedCall::WrappedCall(CallId id, Language language, const Word* words, const void* caller,
                         const void* frame) noexcept
    : row_(row_of(id)), id_(id), language_(language), words_(words), caller_(caller), frame_(frame) {}

int WrappedCall::number_at(int argument) const noexcept {
    if (language_ == Language::c) return static_cast<int>(words_[argument]);
    return *reinterpret_cast<const MPI_Fint*>(words_[argument]);
}

MPI_Comm WrappedCall::comm_at(int argument) const noexcept {
    if (language_ == Language::fortran) return mpi().Comm_f2c(number_at(argument));
#ifdef OPEN_MPI
    return reinterpret_cast<MPI_Comm>(words_[argument]);
#else
    return static_cast<MPI_Comm>(words_[argument]);
#endif
}

int WrappedCall::root_slot() const noexcept {
    return row_.partner >= 0 ? comm_->slot_of(number_at(row_.partner)) : -1;
}

namespace {

/// Other ranks see that this one is in a call that may wait, respectively no longer.
void show(bool inside) noexcept {
    // Relaxed: who looks at it looks twice, with time between.
    RankSlot& self = node().rank(node().slot());
    t_current.shown = inside;
    if (!inside) {
        self.inside.fetch_sub(1, std::memory_order_relaxed);
        return;
    }
    self.entered.fetch_add(1, std::memory_order_relaxed);
    self.inside.fetch_add(1, std::memory_order_relaxed);
}

void leave_trace(std::uint64_t waiting_ns) noexcept {
    if (!t_current.traced) return;
    t_current.traced = false;
    gimbal_rank_waiting_leave(waiting_ns);
}

}  // namespace

void forget_current() noexcept {
    t_waits = false;
    if (t_current.shown) show(false);
    leave_trace(0);
    // It has failed, or it would not have been left.
    if (t_current.comm) t_current.comm->end_arrivals();
    t_current = {};
}

void WrappedCall::before_inside() noexcept {
    if (!is_collective(row_.kind) || row_.comm < 0) return;
    comm_ = Communicator::of(comm_at(row_.comm));
    if (!comm_) return;
    number_ = comm_->come(now_ns());
    if (comm_->has_arrivals()) Gathering(*comm_, row_.kind, root_slot(), number_).wake_others();
}

void WrappedCall::after_inside() noexcept {
    if (g_mode.elastic.load(std::memory_order_relaxed)) partners::wake_all();
}

void WrappedCall::before() noexcept {
    const bool elastic = g_mode.elastic.load(std::memory_order_relaxed);
    state_ = State::begun;
    t_current = {.frame = frame_, .caller = caller_, .shown = false, .traced = false, .comm = nullptr};
    // Whom a message goes to matters only where somebody may have to be woken up.
    if (row_.comm >= 0 && (elastic || is_collective(row_.kind))) comm_ = Communicator::of(comm_at(row_.comm));
    begin_ns_ = may_wait(row_.kind) ? now_ns() : 0;
    if (begin_ns_ != 0 && g_mode.traced.load(std::memory_order_relaxed)) {
        t_current.traced = true;
        gimbal_rank_waiting_enter(row_.name);
    }
    if (elastic && may_wait(row_.kind)) show(true);
    if (is_collective(row_.kind)) before_collective();
    if (elastic) before_elastic();
    yield_if_crowded();
    t_waits = begin_ns_ != 0;
}

void WrappedCall::before_elastic() noexcept {
    if (is_wait(row_.kind) || row_.kind == Kind::probe) before_wait();
    if (row_.kind == Kind::replace) wake_partner(row_.partner);
    if (row_.kind == Kind::one_sided || row_.kind == Kind::window || row_.kind == Kind::access) node().forbid_sleep();
    if (row_.kind == Kind::test) node().rank(node().slot()).polls.fetch_add(1, std::memory_order_relaxed);
    const bool posts = row_.kind == Kind::post_send || row_.kind == Kind::post_receive;
    if (row_.kind == Kind::in_steps || (posts && comm_ && comm_->is_inter()))
        g_unheard.store(true, std::memory_order_relaxed);
}

void WrappedCall::yield_if_crowded() const noexcept {
    if (g_mode.yields.load(std::memory_order_relaxed) || !gimbal_rank_is_crowded) return;
    if (gimbal_rank_is_crowded() != 0) let_mpi_yield(caller_);
}

void WrappedCall::before_collective() noexcept {
    if (!comm_) return;
    t_current.comm = comm_;
    number_ = comm_->come(begin_ns_);
    if (!comm_->has_arrivals() || !g_mode.elastic.load(std::memory_order_relaxed)) return;
    // Rare, and no rule of MPI's has all of them wait for all.
    if (row_.kind == Kind::creation) return;
    Gathering gathering(*comm_, row_.kind, root_slot(), number_);
    gathering.wake_others();
    asleep_ns_ += sleep_until(gathering);
}

void WrappedCall::before_wait() noexcept {
    // What is wrong is for the program's own call to say.
    if (row_.kind == Kind::probe) {
        if (!comm_ || comm_->is_inter() || !is_message_from(number_at(0), number_at(1))) return;
        MessageAwaited message(number_at(0), number_at(1), comm_at(2));
        asleep_ns_ += sleep_until(message);
        return;
    }
    const bool any = row_.kind == Kind::wait_any || row_.kind == Kind::wait_some;
    const int count = row_.kind == Kind::wait ? 1 : number_at(row_.request - 1);
    if (count <= 0 || words_[row_.request] == 0) return;
    if (!can_look_at_requests() || g_unheard.load(std::memory_order_relaxed)) {
        partners::wake_all();
        return;
    }
    RequestsAwaited requests(language_, reinterpret_cast<const void*>(words_[row_.request]), count, any);
    if (requests.is_there()) return;
    // What they wait for may need this rank's progress, which it makes from here on.
    partners::wake_all();
    asleep_ns_ += sleep_until(requests);
}

bool WrappedCall::is_message_from(int rank, int tag) const noexcept {
    return (comm_->has_rank(rank) || rank == MPI_ANY_SOURCE) && (tag >= 0 || tag == MPI_ANY_TAG);
}

bool WrappedCall::can_take_two_steps() const noexcept {
    if (!comm_ || comm_->is_inter() || !can_look_at_requests()) return false;
    const bool sends = row_.kind != Kind::receive, receives = row_.kind != Kind::send;
    // Buffer, count, type, rank and tag, sent ones first.
    const int in = sends ? 5 : 0;
    return (!sends || (number_at(1) >= 0 && comm_->has_rank(number_at(3)) && number_at(4) >= 0)) &&
           (!receives || (number_at(in + 1) >= 0 && is_message_from(number_at(in + 3), number_at(in + 4))));
}

int WrappedCall::failed(int code) const {
#ifndef OPEN_MPI
    mpi().Comm_call_errhandler(comm_at(row_.comm), code);
#endif
    return code;
}

void WrappedCall::note_failure() const noexcept {
    if (comm_) comm_->end_arrivals();
}

void WrappedCall::note_creation(bool success) const noexcept {
    if (!comm_ || !success) return;
    const void* const made = reinterpret_cast<const void*>(words_[row_.request]);
    Communicator* const found =
        Communicator::of(language_ == Language::c ? *static_cast<const MPI_Comm*>(made)
                                                  : mpi().Comm_f2c(*static_cast<const MPI_Fint*>(made)));
    if (found) found->come_from(*comm_, id_, number_);
}

void WrappedCall::sleep_for(const void* requests, int count) noexcept {
    RequestsAwaited awaited(language_, requests, count);
    asleep_ns_ += sleep_until(awaited);
}

void WrappedCall::wake_partner(int argument) noexcept {
    const int slot = comm_ ? comm_->slot_of(number_at(argument)) : -1;
    partners::note(slot);
    partners::wake(slot);
}

void WrappedCall::look_at_arrivals(Visit& visit) const noexcept {
    if (!comm_ || !is_collective(row_.kind)) return;
    if (comm_->alone()) {
        visit.known = true;
        return;
    }
    const std::size_t members = comm_->members().size();
    if (!comm_->has_arrivals() || row_.kind == Kind::neighbours) return;
    if (number_ % ((members + kFewMembers - 1) / kFewMembers) != 0) return;
    Gathering(*comm_, row_.kind, root_slot(), number_).look(visit);
}

namespace {

/// Under g_adding.
bool this_thread_adds() noexcept {
    if (t_is_main && g_adds != Adds::main) {
        for (auto* const sum : {&g_sums.calls, &g_sums.time_ns, &g_sums.waiting_ns, &g_sums.asleep_ns}) sum->store(0);
        g_adds = Adds::main;
    }
    if (!t_is_main && g_adds == Adds::nobody) {
        g_adds = Adds::another;
        t_adds = true;
    }
    return t_is_main || (t_adds && g_adds == Adds::another);
}

// As the last time: the collective call that followed this one's path. Where cores are lent, to be late costs others.
void expect_next(CallPath& path) noexcept {
    static constinit CallPath* last = nullptr;
    if (!t_is_main || !gimbal_rank_waiting_expect || g_mode.elastic.load(std::memory_order_relaxed)) return;
    if (last) last->followed_by(path);
    last = &path;
    gimbal_rank_waiting_expect(path.expected_next_s());
}

}  // namespace

void WrappedCall::after() noexcept {
    t_waits = false;
    state_ = State::ended;
    if (t_current.shown) show(false);
    if (g_mode.elastic.load(std::memory_order_relaxed)) {
        if (is_wait(row_.kind) || row_.kind == Kind::start) partners::wake_all();
        if (row_.kind == Kind::post_send || row_.kind == Kind::post_receive) wake_partner(row_.partner);
    }
    if (!may_wait(row_.kind)) return;
    if (asleep_ns_ != 0 && comm_ && is_collective(row_.kind) &&
        Gathering(*comm_, row_.kind, root_slot(), number_).has_ended_without_others())
        comm_->end_arrivals();
    Visit visit{.begin_ns = begin_ns_, .end_ns = now_ns()};
    look_at_arrivals(visit);
    CallPath* const path = find_path(id_, caller_, frame_);
    std::uint64_t waiting_ns = visit.known ? std::min(visit.slack_ns, visit.end_ns - visit.begin_ns) : 0;
    if (g_many_threads.load(std::memory_order_relaxed)) {
        const std::lock_guard<std::mutex> lock(g_adding);
        if (path) waiting_ns = path->add(visit);
        if (this_thread_adds()) take_sums(visit, waiting_ns);
    } else {
        if (path) waiting_ns = path->add(visit);
        take_sums(visit, waiting_ns);
    }
    leave_trace(waiting_ns);
    if (path && is_collective(row_.kind)) expect_next(*path);
}

void WrappedCall::take_sums(const Visit& visit, std::uint64_t waiting_ns) const noexcept {
    add_to(g_sums.calls, 1);
    add_to(g_sums.time_ns, visit.end_ns - visit.begin_ns);
    add_to(g_sums.waiting_ns, waiting_ns);
    add_to(g_sums.asleep_ns, asleep_ns_);
}

namespace {

/// Before any rank is sure that all are there. @return why no cores are lent; nullptr: nothing is known against it
const char* why_not_elastic(bool can_measure, bool shared) noexcept {
    if (!can_measure) return "MPI refuses what is needed to follow its communicators";
    if (!shared) return node().why_not();
    return node().refused() & kNotElastic ? "another rank of the node has it off, or cannot" : nullptr;
}

}  // namespace

void begin(const void* caller) noexcept {
    int begun = 0, size = 1;
    if (g_mode.begin_ns.load() || !mpi().find(caller)) return;
    if (mpi().Initialized(&begun) != MPI_SUCCESS || !begun) return;
    if (mpi().Comm_size(mpi().world, &size) != MPI_SUCCESS || size < 2) return;
    gimbal_waiting_settings asked{};
    if (gimbal_rank_waiting_settings) gimbal_rank_waiting_settings(&asked);
    if (asked.elastic && gimbal_rank_cores_on) asked.elastic = gimbal_rank_cores_on();
    const bool wanted = asked.elastic != 0;
    const bool can = Communicator::begin();
    if (!can) asked.measure = asked.elastic = 0;
    // Whatever the settings of one rank are: what all ranks of a node do must be the same. Ranks that do not come here,
    // as those of a program that has an MPI_Init of its own, are not waited for long.
    const bool shared = node().join((asked.measure ? 0 : kNotMeasured) | (asked.elastic ? 0 : kNotElastic));
    if (shared && (node().refused() & kNotMeasured)) asked.measure = 0;
    if (const char* const why = why_not_elastic(can, shared); why && wanted) {
        asked.elastic = 0;
        say_not_lent(why);
    }
    if (!asked.measure && !asked.elastic) return;
    t_is_main = true;
    int level = MPI_THREAD_SINGLE;
    mpi().Query_thread(&level);
    g_many_threads.store(level == MPI_THREAD_MULTIPLE);
    let_be_quiet(level != MPI_THREAD_MULTIPLE);
    if (Communicator* const all = Communicator::of(mpi().world)) all->be_world();
    if (asked.elastic && gimbal_rank_cores_show)
        gimbal_rank_cores_show(node().cores_memory(), node().cores_bytes(), node().slot(), node().slots());
    // Nobody's first call is before all have found their places.
    const bool together = !shared || node().meet_again();
    if (wanted && asked.elastic && (!together || node().slots() < 2))
        say_not_lent(together ? "the rank is alone on its node" : node().why_not());
    if (!together) asked.elastic = 0;
    if (asked.elastic && gimbal_rank_cores_attach)
        gimbal_rank_cores_attach(node().cores_memory(), node().cores_bytes(), node().slot(), node().slots());
    if (asked.elastic) begin_progress();
    lend_cores(level != MPI_THREAD_MULTIPLE);
    g_mode.traced.store(asked.traced && gimbal_rank_waiting_enter && gimbal_rank_waiting_leave);
    g_mode.begin_ns.store(now_ns());
    if (gimbal_rank_waiting_source) gimbal_rank_waiting_source(tell);
    // Two ranks at least, or there is nobody to sleep for.
    g_mode.elastic.store(asked.elastic && node().slots() > 1);
    g_mode.measures.store(true);
}

void end() noexcept {
    if (!g_mode.measures.exchange(false)) return;
    g_mode.elastic.store(false);
    g_mode.end_ns.store(now_ns());
    if (gimbal_rank_waiting_expect) gimbal_rank_waiting_expect(0);  // no collective call comes any more
    if (gimbal_rank_cores_detach) gimbal_rank_cores_detach();
    end_progress();
    node().leave();
}

namespace {

/// exit() without MPI_Finalize: others must not sleep for this rank.
__attribute__((destructor)) void on_exit() {
    node().leave();
}

}  // namespace

}  // namespace gimbal::waiting
