// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/own_stack.hpp"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace gimbal {

namespace {

constexpr std::size_t kRoom = std::size_t{1} << 19;
constexpr std::size_t kStack = std::size_t{1} << 20;
constexpr std::size_t kUsual = std::size_t{1}
                               << 23;  // what a main thread has: where there is more it is not counted on

__thread bool on_own_stack __attribute__((tls_model("initial-exec"))) = false;

/// Only of the main thread, and only where it is on its first stack. Others would have to ask the C library, which may
/// be in the middle of something.
bool has_room() noexcept {
    if (on_own_stack) return true;
    if (syscall(SYS_gettid) != getpid()) return false;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) != 0) return false;
    const auto top = static_cast<std::uintptr_t>(getauxval(AT_EXECFN));  // the kernel has put it at the stack's end
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here < top && top - here + kRoom <= std::min<std::uintptr_t>(limit.rlim_cur, kUsual);
}

struct Call {
    void (*call)(void* work);
    void* work;
    std::exception_ptr failure;
};

void run(unsigned low, unsigned high) noexcept {
    auto* const one =
        reinterpret_cast<Call*>(static_cast<std::uintptr_t>(low) | static_cast<std::uintptr_t>(high) << 32U);
    try {
        one->call(one->work);
    } catch (...) {
        one->failure = std::current_exception();
    }
}

}  // namespace

void detail::call_with_room(void (*call)(void* work), void* work) {
    void* const stack = has_room() ? MAP_FAILED
                                   : mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED) return call(work);
    Call one{call, work, nullptr};
    ucontext_t here, there;
    getcontext(&there);
    there.uc_stack = {.ss_sp = stack, .ss_flags = 0, .ss_size = kStack};
    there.uc_link = &here;
    const auto address = reinterpret_cast<std::uintptr_t>(&one);
    makecontext(&there, reinterpret_cast<void (*)()>(run), 2, static_cast<unsigned>(address),
                static_cast<unsigned>(address >> 32U));
    on_own_stack = true;
    swapcontext(&here, &there);
    on_own_stack = false;
    munmap(stack, kStack);
    if (one.failure) std::rethrow_exception(one.failure);
}

}  // namespace gimbal
