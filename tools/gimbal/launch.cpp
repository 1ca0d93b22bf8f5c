// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "config/load.hpp"

namespace gimbal::tool {

namespace {

sigset_t held_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGCHLD})
        sigaddset(&set, signal);
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

void note_end(int state, ProgramEnd& end) {
    end.running = false;
    end.killed_by = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    end.status = end.killed_by ? 128 + end.killed_by : WEXITSTATUS(state);
}

bool asks_to_end(int signal) {
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT || signal == SIGXCPU;
}

/// The next signal, or 0 when the time is over. @param seconds  < 0: without limit
int next_signal(double seconds, siginfo_t& info) {
    const sigset_t set = held_signals();
    if (seconds < 0) return sigwaitinfo(&set, &info);
    timespec left{};
    left.tv_sec = static_cast<time_t>(seconds);
    left.tv_nsec = static_cast<long>((seconds - static_cast<double>(left.tv_sec)) * 1e9);
    const int signal = sigtimedwait(&set, &info, &left);
    return signal < 0 && errno == EAGAIN ? 0 : signal;
}

double now_s() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

SignalsHeld::SignalsHeld() {
    const sigset_t set = held_signals();
    sigprocmask(SIG_BLOCK, &set, &g_before);
    // The tool's parent may ignore it; then the program's end would never be seen.
    ::signal(SIGCHLD, SIG_DFL);
}

SignalsHeld::~SignalsHeld() {
    sigprocmask(SIG_SETMASK, &g_before, nullptr);
}

ProgramEnd launch(const std::vector<std::string>& command, const Variables& variables,
                  const std::function<void(const ProgramEnd&)>& overdue) {
    ProgramEnd end;
    const pid_t child = fork();
    if (child == 0) become(command, variables);
    if (child < 0) {
        write_stderr("gimbal: error: cannot start a process: " + std::string(std::strerror(errno)) + "\n");
        end.status = 126;
        return end;
    }
    end.pid = child;
    end.running = true;
    double overdue_at = -1;  // < 0: nobody asked to end, or it has been said
    while (true) {
        siginfo_t info{};
        const int signal = next_signal(overdue_at < 0 ? -1 : std::max(0.0, overdue_at - now_s()), info);
        if (signal == SIGCHLD) {
            int state = 0;
            if (waitpid(child, &state, WNOHANG) != child || WIFSTOPPED(state)) continue;
            note_end(state, end);
            return end;
        }
        if (signal == 0) {
            overdue_at = -1;
            overdue(end);
            continue;
        }
        if (signal < 0) continue;
        // What comes from the terminal (SI_KERNEL) has reached the program already: it is in the same group.
        if (info.si_code != SI_KERNEL) kill(child, signal);
        if (!asks_to_end(signal)) continue;
        if (!end.asked_to_end) overdue_at = now_s() + kOverdue_s;
        end.asked_to_end = signal;
    }
}

}  // namespace gimbal::tool
