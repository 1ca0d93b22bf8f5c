// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace aco {

/// POSIX threads that do one thing after another, all of them together.
class ThreadPool {
public:
    /// @param threads  >= 1   @errors std::system_error if the system has no more threads
    explicit ThreadPool(int threads);
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool();

    int threads() const { return static_cast<int>(threads_.size()); }

    /// Call work(number) on every thread, and sleep until the last has returned.
    /// @errors the first exception of a thread, when all have returned: work that calls meet() must not throw
    void run(const std::function<void(int thread)>& work);

    /// From within run(), by all threads: wait for the others. @return true in one of them
    bool meet() { return pthread_barrier_wait(&barrier_) == PTHREAD_BARRIER_SERIAL_THREAD; }

private:
    void serve(int number);
    void stop();

    std::mutex mutex_;
    std::condition_variable go_;
    std::condition_variable done_;
    pthread_barrier_t barrier_;
    std::vector<std::thread> threads_;
    // The rest is read and written under the mutex.
    const std::function<void(int)>* work_ = nullptr;  ///< null: end
    std::uint64_t round_ = 0;                         ///< counts calls of run()
    int busy_ = 0;                                    ///< threads that are still at it
    std::exception_ptr failure_;
};

}  // namespace aco
