// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pool.hpp"

#include <cstddef>
#include <string>
#include <system_error>
#include <utility>

namespace aco {

namespace {

void expect(int code, const char* what) {
    if (code != 0) throw std::system_error(code, std::generic_category(), what);
}

/// std::lock_guard for what a condition variable of POSIX takes.
class Locked {
public:
    explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    ~Locked() { pthread_mutex_unlock(&mutex_); }

private:
    pthread_mutex_t& mutex_;
};

}  // namespace

ThreadPool::ThreadPool(int threads) {
    expect(pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)), "barrier");
    members_.resize(static_cast<std::size_t>(threads));
    for (std::size_t i = 0; i < members_.size(); ++i) {
        Member& member = members_[i];
        member.pool = this;
        member.number = static_cast<int>(i);
        const int code = pthread_create(&member.handle, nullptr, body, &member);
        if (code != 0) {
            stop(i);
            expect(code, ("cannot start thread " + std::to_string(i + 1) + " of " + std::to_string(threads)).c_str());
        }
    }
}

ThreadPool::~ThreadPool() {
    stop(members_.size());
}

void ThreadPool::stop(std::size_t started) {
    {
        const Locked lock(mutex_);
        work_ = nullptr;
        ++round_;
        pthread_cond_broadcast(&go_);
    }
    for (std::size_t i = 0; i < started; ++i) pthread_join(members_[i].handle, nullptr);
    pthread_barrier_destroy(&barrier_);
    pthread_cond_destroy(&done_);
    pthread_cond_destroy(&go_);
    pthread_mutex_destroy(&mutex_);
}

void ThreadPool::run(const std::function<void(int thread)>& work) {
    const Locked lock(mutex_);
    work_ = &work;
    busy_ = threads();
    ++round_;
    pthread_cond_broadcast(&go_);
    while (busy_ > 0) pthread_cond_wait(&done_, &mutex_);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void* ThreadPool::body(void* member) {
    const Member& self = *static_cast<Member*>(member);
    const std::string name = "aco-" + std::to_string(self.number);
    pthread_setname_np(pthread_self(), name.c_str());
    self.pool->serve(self.number);
    return nullptr;
}

void ThreadPool::serve(int number) {
    for (std::uint64_t seen = 0;; ++seen) {
        const std::function<void(int)>* work = nullptr;
        {
            const Locked lock(mutex_);
            while (round_ == seen) pthread_cond_wait(&go_, &mutex_);
            work = work_;
        }
        if (work == nullptr) return;
        std::exception_ptr failure;
        try {
            (*work)(number);
        } catch (...) {
            failure = std::current_exception();
        }
        const Locked lock(mutex_);
        if (failure && !failure_) failure_ = failure;
        if (--busy_ == 0) pthread_cond_signal(&done_);
    }
}

}  // namespace aco
