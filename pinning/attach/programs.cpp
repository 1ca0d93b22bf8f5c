// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs that a placed thread starts get the mask that it had before: exec and its relatives keep the caller's mask.
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/process.hpp"

#define GIMBAL_OVER extern "C" __attribute__((visibility("default")))

namespace {

using gimbal::pin::OwnMask;

/// The C library's function of that name.
template <class Function>
Function next(const char* name) noexcept {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// A list of arguments up to its null pointer. As long as the caller made it, so on the stack, as the C library does.
size_t length_of(va_list list) noexcept {
    size_t length = 1;
    while (va_arg(list, char*)) ++length;
    return length;
}

void fill(char** words, const char* first, va_list list) noexcept {
    *words++ = const_cast<char*>(first);
    while ((*words++ = va_arg(list, char*))) {
    }
}

using Exec = int (*)(const char*, char* const[]);
using ExecWith = int (*)(const char*, char* const[], char* const[]);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                      char* const[]);

}  // namespace

// Looked up at each call: after vfork() nothing may be written that the parent would see.

GIMBAL_OVER int execve(const char* path, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next<ExecWith>("execve")(path, words, environment);
}
GIMBAL_OVER int execv(const char* path, char* const words[]) noexcept {
    const OwnMask mask;
    return next<Exec>("execv")(path, words);
}
GIMBAL_OVER int execvp(const char* file, char* const words[]) noexcept {
    const OwnMask mask;
    return next<Exec>("execvp")(file, words);
}
GIMBAL_OVER int execvpe(const char* file, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next<ExecWith>("execvpe")(file, words, environment);
}
GIMBAL_OVER int fexecve(int file, char* const words[], char* const environment[]) noexcept {
    const OwnMask mask;
    return next<int (*)(int, char* const[], char* const[])>("fexecve")(file, words, environment);
}

#define GIMBAL_WORDS(first)                                                            \
    va_list list, again;                                                               \
    va_start(list, first);                                                             \
    va_copy(again, list);                                                              \
    const size_t count = length_of(again) + 1;                                         \
    va_end(again);                                                                     \
    auto** const words = static_cast<char**>(__builtin_alloca(count * sizeof(char*))); \
    fill(words, first, list)

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
    return next<Spawn>("posix_spawn")(pid, path, actions, attributes, words, environment);
}
GIMBAL_OVER int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                             const posix_spawnattr_t* attributes, char* const words[],
                             char* const environment[]) noexcept {
    const OwnMask mask;
    return next<Spawn>("posix_spawnp")(pid, file, actions, attributes, words, environment);
}
GIMBAL_OVER FILE* popen(const char* command, const char* mode) {
    const OwnMask mask;
    return next<FILE* (*)(const char*, const char*)>("popen")(command, mode);
}
GIMBAL_OVER int system(const char* command) {
    const OwnMask mask;
    return next<int (*)(const char*)>("system")(command);
}
