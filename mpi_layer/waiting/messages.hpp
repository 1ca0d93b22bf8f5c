// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mpi.h>

#include <array>

#include "sleep.hpp"
#include "wrapped_call.hpp"

namespace gimbal::waiting {

/// Let MPI do what it does while a rank waits in it. Between begin_progress() and end_progress().
void make_progress() noexcept;
void begin_progress() noexcept;
void end_progress() noexcept;

/// Whether errors may be silent: not where other threads of this rank may call MPI meanwhile. The first before all
/// others. @threads one sets it, any asks
void let_be_quiet(bool yes) noexcept;
bool can_be_quiet() noexcept;

#ifdef OPEN_MPI

struct QuietErrors {};

#else

/// MPICH calls the handler of errors of MPI_COMM_WORLD or MPI_COMM_SELF where a request that is waited for or looked at
/// is in error, not that of the message's communicator, and where there is no such communicator. While this lives they
/// are silent. Only where can_be_quiet().
class QuietErrors {
public:
    QuietErrors() noexcept;
    ~QuietErrors();
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

private:
    std::array<MPI_Errhandler, 2> handlers_{MPI_ERRORS_RETURN, MPI_ERRORS_RETURN};
};

#endif

/// Messages that ranks of the node exchange: a rank that sleeps for one is woken up by its partner.
namespace partners {
/// This rank has to do with that one from now on. @param slot  < 0: on another node
void note(int slot) noexcept;
/// Wake up that one, respectively all of them, if they sleep.
void wake(int slot) noexcept;
void wake_all() noexcept;
}  // namespace partners

/// Whether requests can be looked at without a trace: else nobody must sleep for one. @threads any
bool can_look_at_requests() noexcept;

/// Requests that are not complete yet. Only where can_look_at_requests().
class RequestsAwaited final : public Awaited {
public:
    /// @param requests  [count] as the language has them; are not changed  @param any  one of them is enough
    RequestsAwaited(Language language, const void* requests, int count, bool any = false) noexcept
        : language_(language), requests_(requests), count_(count), any_(any) {}

    bool is_there() noexcept override;
    bool is_hopeless() noexcept override;

private:
    [[nodiscard]] bool is_complete(int index) noexcept;

    Language language_;
    const void* requests_;
    int count_;
    bool any_;
    int complete_ = 0;  // all before this one are complete
    Patience patience_;
};

/// A message that can be received.
class MessageAwaited final : public Awaited {
public:
    MessageAwaited(int source, int tag, MPI_Comm comm) noexcept : source_(source), tag_(tag), comm_(comm) {}
    bool is_there() noexcept override;
    bool is_hopeless() noexcept override;

private:
    int source_, tag_;
    MPI_Comm comm_;
    Patience patience_;
};

/// The request at [index] of an array, as the language has them.
MPI_Request request_at(Language language, const void* requests, int index) noexcept;

}  // namespace gimbal::waiting
