// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "config/load.hpp"

namespace gimbal::tool {

namespace {

sigset_t held_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD}) sigaddset(&set, signal);
    return set;
}

sigset_t g_before;  // the mask that the tool was started with; the program gets it back

[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    sigprocmask(SIG_SETMASK, &g_before, nullptr);
    execvp(words[0], words.data());
    const int reason = errno;
    write_stderr("gimbal: error: " + command.front() + ": " + std::strerror(reason) + "\n");
    _exit(reason == ENOENT ? 127 : 126);
}

int status_of(int state) {
    return WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
}

}  // namespace

SignalsHeld::SignalsHeld() {
    const sigset_t set = held_signals();
    sigprocmask(SIG_BLOCK, &set, &g_before);
    // Whoever started the tool may ignore it; then the program's end would never be seen.
    ::signal(SIGCHLD, SIG_DFL);
}

SignalsHeld::~SignalsHeld() {
    sigprocmask(SIG_SETMASK, &g_before, nullptr);
}

int launch(const std::vector<std::string>& command, const Variables& variables) {
    const pid_t child = fork();
    if (child == 0) become(command, variables);
    if (child < 0) {
        write_stderr("gimbal: error: cannot start a process: " + std::string(std::strerror(errno)) + "\n");
        return 126;
    }
    const sigset_t set = held_signals();
    while (true) {
        siginfo_t info{};
        const int signal = sigwaitinfo(&set, &info);
        if (signal == SIGCHLD) {
            int state = 0;
            if (waitpid(child, &state, WNOHANG) == child && !WIFSTOPPED(state)) return status_of(state);
        } else if (signal > 0 && info.si_code != SI_KERNEL) {
            // What comes from the terminal (SI_KERNEL) has reached the program already: it is in the same group.
            kill(child, signal);
        }
    }
}

}  // namespace gimbal::tool
