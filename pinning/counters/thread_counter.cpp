// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counters/thread_counter.hpp"

#include <atomic>
#include <mutex>

#include "counters/thread_clock.hpp"
#include "counters/value_source.hpp"

namespace gimbal::pin {

struct ThreadCounter::Parts {
    ThreadClock clock;
    std::unique_ptr<ValueSource> source;
    mutable std::mutex mutex;  ///< of error
    std::string error;
};

ThreadCounter::ThreadCounter() noexcept = default;
ThreadCounter::ThreadCounter(ThreadCounter&&) noexcept = default;
ThreadCounter& ThreadCounter::operator=(ThreadCounter&&) noexcept = default;
ThreadCounter::~ThreadCounter() = default;

bool ThreadCounter::open(Rung rung, const CounterTarget& target) {
    close();
    auto parts = std::make_unique<Parts>();
    parts->clock = ThreadClock(target.pid, target.tid);
    MadeSource made = make_source(rung, target);
    parts->source = std::move(made.source);
    parts->error = std::move(made.error);
    parts_ = std::move(parts);
    return parts_->source != nullptr;
}

void ThreadCounter::close() noexcept {
    parts_.reset();
}

bool ThreadCounter::start_here() {
    if (!parts_ || !parts_->source) return false;
    std::string error = parts_->source->start_here();
    const bool works = error.empty();
    const std::lock_guard guard(parts_->mutex);
    parts_->error = std::move(error);
    return works;
}

void ThreadCounter::stop_here() noexcept {
    if (parts_ && parts_->source) parts_->source->stop_here();
}

Reading ThreadCounter::read() noexcept {
    Reading reading;
    if (!parts_) return reading;
    const bool alive = parts_->clock.read(reading);
    reading.valid = alive && parts_->source && parts_->source->read(reading);
    return reading;
}

std::string ThreadCounter::error() const {
    if (!parts_) return "not open";
    const std::lock_guard guard(parts_->mutex);
    return parts_->error;
}

}  // namespace gimbal::pin
