// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread_pool.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace aco {

ThreadPool::ThreadPool(int threads) {
    if (const int code = pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads)))
        throw std::system_error(code, std::generic_category(), "barrier");
    for (int i = 0; i < threads; ++i) {
        try {
            threads_.emplace_back(&ThreadPool::serve, this, i);
        } catch (const std::system_error& error) {
            stop();
            throw std::system_error(error.code(),
                                    "cannot start thread " + std::to_string(i + 1) + " of " + std::to_string(threads));
        }
    }
}

ThreadPool::~ThreadPool() {
    stop();
}

void ThreadPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        work_ = nullptr;
        ++round_;
        go_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    pthread_barrier_destroy(&barrier_);
}

void ThreadPool::run(const std::function<void(int thread)>& work) {
    std::unique_lock lock(mutex_);
    work_ = &work;
    busy_ = threads();
    ++round_;
    go_.notify_all();
    while (busy_ > 0) done_.wait(lock);
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ThreadPool::serve(int number) {
    pthread_setname_np(pthread_self(), ("aco-" + std::to_string(number)).c_str());
    for (std::uint64_t seen = 0;; ++seen) {
        const std::function<void(int)>* work = nullptr;
        {
            std::unique_lock lock(mutex_);
            while (round_ == seen) go_.wait(lock);
            work = work_;
        }
        if (work == nullptr) return;
        std::exception_ptr failure;
        try {
            (*work)(number);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        if (failure && !failure_) failure_ = failure;
        if (--busy_ == 0) done_.notify_one();
    }
}

}  // namespace aco
