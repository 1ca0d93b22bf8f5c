// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace gimbal::lb4mpi {

/// A function that runs on a stack of its own, on the thread that resumes it, and can be left and taken up again.
/// @threads one
class Coroutine {
public:
    /// @param body  what it throws comes out of resume()
    /// @errors gimbal::Error(unsupported): no memory for a stack
    explicit Coroutine(std::function<void()> body);
    /// A body that has not ended is given up: nothing on its stack is destroyed.
    ~Coroutine();
    Coroutine(const Coroutine&) = delete;
    Coroutine& operator=(const Coroutine&) = delete;

    /// Run the body up to its next pause() or its end. @pre !ended()
    void resume();
    /// From within the body: go back to the caller that resumed it.
    void pause();
    [[nodiscard]] bool ended() const noexcept { return ended_; }

private:
    static void enter(unsigned high, unsigned low);

    std::function<void()> body_;
    std::exception_ptr error_;
    void* stack_ = nullptr;
    ucontext_t outside_{};
    ucontext_t inside_{};
    bool ended_ = false;
};

}  // namespace gimbal::lb4mpi
