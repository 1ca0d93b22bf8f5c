// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Children of a placed thread, and programs that they become, get the mask that it had before: both inherit the
// caller's. fork() is seen by a handler of its own (process.cpp); after vfork() it is the exec that is seen.
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <wordexp.h>

#include "attach/next.hpp"
#include "attach/process.hpp"

#define GIMBAL_OVER extern "C" __attribute__((visibility("default")))

namespace {

using gimbal::pin::is_on;
using gimbal::pin::keep;
using gimbal::pin::Next;
using gimbal::pin::OwnMask;

using Exec = int (*)(const char*, char* const[]);
using ExecWith = int (*)(const char*, char* const[], char* const[]);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                      char* const[]);

constinit Next<ExecWith> next_execve{"execve"};
constinit Next<Exec> next_execv{"execv"};
constinit Next<Exec> next_execvp{"execvp"};
constinit Next<ExecWith> next_execvpe{"execvpe"};
constinit Next<int (*)(int, char* const[], char* const[])> next_fexecve{"fexecve"};
constinit Next<Spawn> next_spawn{"posix_spawn"};
constinit Next<Spawn> next_spawnp{"posix_spawnp"};
constinit Next<FILE* (*)(const char*, const char*)> next_popen{"popen"};
constinit Next<int (*)(const char*)> next_system{"system"};
constinit Next<int (*)(const char*, wordexp_t*, int)> next_wordexp{"wordexp"};
constinit Next<int (*)(int (*)(void*), void*, int, void*, ...)> next_clone{"clone"};
#if __GLIBC_PREREQ(2, 34)
constinit Next<int (*)(int, const char*, char* const[], char* const[], int)> next_execveat{"execveat"};
constinit Next<pid_t (*)()> next_fork{"_Fork"};
#endif

__attribute__((constructor)) void on_load() {
    keep(next_execve, next_execv, next_execvp, next_execvpe, next_fexecve, next_spawn, next_spawnp, next_popen,
         next_system, next_wordexp, next_clone);
#if __GLIBC_PREREQ(2, 34)
    keep(next_execveat, next_fork);
#endif
}

/// A list of arguments up to its null pointer. As long as the caller made it, so on the stack, as the C library does.
size_t length_of(va_list list) noexcept {
    size_t length = 1;
    while (va_arg(list, char*)) ++length;
    return length;
}

}  // namespace

GIMBAL_OVER int execve(const char* path, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next_execve.get()(path, words, environment);
}
GIMBAL_OVER int execv(const char* path, char* const words[]) noexcept {
    const OwnMask mask;
    return next_execv.get()(path, words);
}
GIMBAL_OVER int execvp(const char* file, char* const words[]) noexcept {
    const OwnMask mask;
    return next_execvp.get()(file, words);
}
GIMBAL_OVER int execvpe(const char* file, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next_execvpe.get()(file, words, environment);
}
GIMBAL_OVER int fexecve(int file, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next_fexecve.get()(file, words, environment);
}

/// `list` then stands behind the null pointer. Not in a function, which on some processors reads a copy of the list.
#define GIMBAL_WORDS(first)                                                            \
    va_list list, again;                                                               \
    va_start(list, first);                                                             \
    va_copy(again, list);                                                              \
    const size_t count = length_of(again) + 1;                                         \
    va_end(again);                                                                     \
    auto** const words = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
    words[0] = const_cast<char*>(first);                                               \
    for (size_t at = 1; at < count; ++at) words[at] = va_arg(list, char*)

GIMBAL_OVER int execl(const char* path, const char* first, ...) noexcept {
    GIMBAL_WORDS(first);
    va_end(list);
    return execv(path, words);
}
GIMBAL_OVER int execlp(const char* file, const char* first, ...) noexcept {
    GIMBAL_WORDS(first);
    va_end(list);
    return execvp(file, words);
}
GIMBAL_OVER int execle(const char* path, const char* first, ...) noexcept {
    GIMBAL_WORDS(first);
    char* const* const environment = va_arg(list, char* const*);
    va_end(list);
    return execve(path, words, environment);
}

GIMBAL_OVER int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const words[],
                            char* const environment[]) noexcept {
    const OwnMask mask;
    return next_spawn.get()(pid, path, actions, attributes, words, environment);
}
GIMBAL_OVER int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const words[],
                             char* const environment[]) noexcept {
    const OwnMask mask;
    return next_spawnp.get()(pid, file, actions, attributes, words, environment);
}
GIMBAL_OVER FILE* popen(const char* command, const char* mode) {
    const OwnMask mask;
    return next_popen.get()(command, mode);
}
GIMBAL_OVER int system(const char* command) {
    const OwnMask mask;
    return next_system.get()(command);
}
GIMBAL_OVER int wordexp(const char* text, wordexp_t* words, int flags) {
    const OwnMask mask;
    return next_wordexp.get()(text, words, flags);
}

/// Threads made by it are nobody's to place; they begin with the mask of a process that places nobody, too.
GIMBAL_OVER int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept {
    va_list list;
    va_start(list, argument);
    void* const parent = va_arg(list, void*);
    void* const local = va_arg(list, void*);
    void* const child = va_arg(list, void*);
    va_end(list);
    if ((flags & CLONE_THREAD) != 0 && !is_on())
        return next_clone.get()(function, stack, flags, argument, parent, local, child);
    const OwnMask mask;
    return next_clone.get()(function, stack, flags, argument, parent, local, child);
}

#if __GLIBC_PREREQ(2, 34)
GIMBAL_OVER int execveat(int folder, const char* path, char* const words[], char* const environment[],
                         int flags) noexcept {
    const OwnMask mask;
    return next_execveat.get()(folder, path, words, environment, flags);
}
/// fork() without handlers: the child is told here.
GIMBAL_OVER pid_t _Fork() noexcept {
    const OwnMask mask;
    const pid_t child = next_fork.get()();
    if (child == 0) gimbal::pin::leave_parent();
    return child;
}
#endif
