// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <string>

namespace gimbal {

/// Note the time, the working directory, the program's file and where standard error leads, before that changes.
/// @threads one, at load
void note_start() noexcept;

/// When that was, since 1970-01-01 UTC [s]. A child of fork() answers as its parent.
[[nodiscard]] double started_at_s() noexcept;

/// A part for names of files that are this program's in this process alone: "<process>-<microseconds when it started>".
/// exec() puts another program in the place of this one, under the same number, and numbers come again; "<process>"
/// before note_start(). @errors std::bad_alloc  @threads any
[[nodiscard]] std::string program_number();
/// The same of another process. @param started_s  as started_at_s(); 0: not known
[[nodiscard]] std::string program_number(int process, double started_s);

/// This process is a child of fork() and has not become another program. @threads the only one of a new child
void note_forked() noexcept;
[[nodiscard]] bool is_forked() noexcept;

/// A path as it was meant when the program started: relative ones begin at its first working directory.
[[nodiscard]] std::string from_start(const std::string& path);

/// Where the program's file lay then, whatever it was called by; "" before note_start(). Stays as long as the process.
[[nodiscard]] const char* program_path() noexcept;

/// Whether standard error is still what it was; a program may have closed it and opened a file of its own.
[[nodiscard]] bool stderr_is_the_same() noexcept;

namespace detail {
extern __thread bool process_ending __attribute__((tls_model("initial-exec")));
}

/// Whether this thread is ending the process.
[[nodiscard]] inline bool ending() noexcept {
    return detail::process_ending;
}

/// Whether this thread is ending the process in a signal handler: nobody knows what that has interrupted.
[[nodiscard]] bool ending_in_handler() noexcept;

/// While it lives, this thread ends the process. exit() may have been called in a signal handler, and the handler may
/// have interrupted anything: what the thread holds then, it never lets go. So from here on this thread waits for locks
/// only as long as lock_or_give_up() does, and allocates memory of its own (heap.cpp).
/// @threads one at a time
class ProcessEnding {
public:
    ProcessEnding() noexcept;
    ~ProcessEnding();
    ProcessEnding(const ProcessEnding&) = delete;
    ProcessEnding& operator=(const ProcessEnding&) = delete;
};

/// The lock; a thread that ends the process may come back without it: its waits take kPatience_ms in all.
/// @errors none  @threads any
[[nodiscard]] std::unique_lock<std::mutex> lock_or_give_up(std::mutex& mutex) noexcept;

inline constexpr int kPatience_ms = 300;

/// The report will lack something, because a lock could not be had.
/// @param what  a string literal  @threads the one that ends the process; others: no effect
void note_missing(const char* what) noexcept;

/// What was noted, each once, with commas between; empty: nothing. @threads as note_missing()
[[nodiscard]] std::string missing_parts();

/// Called after a loop was seen for the first time, and where the level of ranks begins, without Gimbal's locks held;
/// nullptr: not at all. `process` sets it when the library is loaded, before there are threads; the rooms that see
/// loops lie below it.
inline void (*after_new_loop)() noexcept = nullptr;

}  // namespace gimbal
