// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lb4mpi/coroutine.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "gimbal/error.hpp"

namespace gimbal::lb4mpi {

namespace {

// MPI's own functions run on it; only pages that are touched cost memory.
constexpr std::size_t kStackBytes = std::size_t{4} << 20;

}  // namespace

Coroutine::Coroutine(std::function<void()> body) : body_(std::move(body)) {
    stack_ = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack_ == MAP_FAILED) throw Error(ErrorCode::unsupported, "no memory for a stack of 4 MiB");
    // The lowest page traps an overflow.
    mprotect(stack_, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
    getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_;
    inside_.uc_stack.ss_size = kStackBytes;
    inside_.uc_link = &outside_;
    // makecontext() passes ints: the pointer goes in two halves.
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(std::uint64_t{self} >> 32),
                static_cast<unsigned>(self));
}

Coroutine::~Coroutine() {
    munmap(stack_, kStackBytes);
}

void Coroutine::enter(unsigned high, unsigned low) {
    auto* const self = reinterpret_cast<Coroutine*>(static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low));
    try {
        self->body_();
    } catch (...) {
        self->error_ = std::current_exception();  // an exception must not leave this stack
    }
    self->ended_ = true;
}

void Coroutine::resume() {
    swapcontext(&outside_, &inside_);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Coroutine::pause() {
    swapcontext(&inside_, &outside_);
}

}  // namespace gimbal::lb4mpi
