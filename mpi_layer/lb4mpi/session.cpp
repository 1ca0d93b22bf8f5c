// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/session.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gimbal/mpi/mpi.h"
#include "gimbal/rank_loop.h"

namespace gimbal::lb4mpi {

namespace {

/// Open loops of this process for which other ranks may wait.
int g_served = 0;

double poll_seconds() {
    gimbal_rank_settings settings{};
    gimbal_rank_settings_get(&settings);
    return settings.poll_us * 1e-6;
}

}  // namespace

Session::Session(std::string name, std::unique_ptr<OpenLoop> loop, int break_after)
    : name_(std::move(name)), loop_(std::move(loop)), break_after_(std::max(0, break_after)), poll_s_(poll_seconds()) {
    if (loop_->serves()) ++g_served;
}

Session::~Session() {
    if (loop_->serves()) --g_served;
}

bool Session::has_work() {
    if (part_ || drawn_) return true;
    if (ended_) return false;
    drawn_ = loop_->next();
    ended_ = !drawn_;
    if (ended_) return false;
    ++chunks_;
    largest_ = std::max(largest_, drawn_.size());
    reached_ = std::max(reached_, drawn_.end);
    return true;
}

// Parts grow until one takes as long as another rank may wait.
std::int64_t Session::part_size() const noexcept {
    if (g_served == 0) return 0;
    if (break_after_ > 0) return break_after_;
    if (last_part_ == 0) return 1;
    const double most = 2.0 * static_cast<double>(last_part_);
    const double timely = per_iteration_s_ > 0 ? poll_s_ / per_iteration_s_ : most;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::min(timely, most)));
}

mpi::Chunk Session::take() {
    if (!has_work()) return {};
    // The interface counts in ints.
    std::int64_t size = std::min<std::int64_t>(drawn_.size(), std::numeric_limits<int>::max());
    if (const std::int64_t part = part_size(); part > 0) size = std::min(size, part);
    part_ = {drawn_.first, drawn_.first + size};
    drawn_.first += size;
    return part_;
}

void Session::done(double seconds) {
    last_part_ = part_.size();
    per_iteration_s_ = seconds / static_cast<double>(last_part_);
    part_ = {};
    // A draw looks for the messages of its own loop.
    const int served = drawn_ || !loop_->serves() ? g_served : g_served - 1;
    if (served > 0) gimbal_mpi_progress();
}

void Session::leave() {
    loop_->leave();
}

}  // namespace gimbal::lb4mpi
