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
#include <iterator>
#include <utility>

#include "config/load.hpp"

namespace gimbal::tool {

namespace {

/// All that may be sent. SIGTTIN and SIGTTOU are the terminal's, which sends them to the program, too: the tool stops
/// with it, and one that holds SIGTTOU back would write where it should stop.
sigset_t held_signals() {
    sigset_t set;
    sigfillset(&set);
    for (const int other : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU}) sigdelset(&set, other);
    return set;
}

// What the tool was started with; the program gets it back.
sigset_t g_before;                    // the mask
sigset_t g_ignored;                   // by who started it, as nohup does: held signals come all the same
void (*g_child_ends)(int) = SIG_DFL;  // what SIGCHLD does

constexpr int kAsksToEnd[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU};

[[noreturn]] void become(const std::vector<std::string>& command, const Variables& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::signal(SIGCHLD, g_child_ends);
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
    return std::find(std::begin(kAsksToEnd), std::end(kAsksToEnd), signal) != std::end(kAsksToEnd) &&
           sigismember(&g_ignored, signal) == 0;
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

/// Whether a signal is for the program, and has not reached it already.
bool is_to_pass_on(const siginfo_t& info) {
    // What the terminal sends (SI_KERNEL) goes to all of the group, but for its end: of that the session's leader alone
    // is told. Timers are the tool's alone: they survive exec.
    if (info.si_code == SI_KERNEL)
        return info.si_signo == SIGALRM || info.si_signo == SIGVTALRM || info.si_signo == SIGPROF ||
               (info.si_signo == SIGHUP && getsid(0) == getpid());
    // SIGPIPE and SIGXFSZ of the tool's own writing.
    return !(info.si_code == SI_USER && info.si_pid == getpid());
}

void pass_on(pid_t child, const siginfo_t& info) {
    if (info.si_code == SI_QUEUE)
        sigqueue(child, info.si_signo, info.si_value);
    else
        kill(child, info.si_signo);
}

bool is_stopped(pid_t child) {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child), &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
}

/// Returns when somebody continues this process. Not by SIGSTOP: where nobody could, the system refuses SIGTSTP.
void stop_self() {
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    ::signal(SIGTSTP, SIG_DFL);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
}

/// What stops and continues a job of a shell (^Z, fg). The shell looks at the tool, so this stops once the program has
/// stopped, which may do something before, or go on.
class JobControl {
public:
    explicit JobControl(pid_t child) : child_(child) {}

    void stop_came() {
        asked_ = true;
        follow();
    }
    /// The program's state may have changed.
    void follow() {
        if (!asked_ || !is_stopped(child_)) return;
        asked_ = false;
        stop_self();
        was_stopped_ = true;
    }
    /// @return whether the program has not had the same signal: a shell sends it to the whole group
    bool continue_came() {
        asked_ = false;
        return !std::exchange(was_stopped_, false) || is_stopped(child_);
    }

private:
    pid_t child_;
    bool asked_ = false;        // the program has the signal, too, and has not stopped yet
    bool was_stopped_ = false;  // and who has continued this process has not been heard of
};

/// @return whether it has ended
bool has_ended(pid_t child, ProgramEnd& end) {
    int state = 0;
    if (waitpid(child, &state, WNOHANG) != child || WIFSTOPPED(state)) return false;
    note_end(state, end);
    return true;
}

}  // namespace

SignalsHeld::SignalsHeld() {
    const sigset_t set = held_signals();
    sigemptyset(&g_ignored);
    for (const int signal : kAsksToEnd) {
        struct sigaction action {};
        if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) sigaddset(&g_ignored, signal);
    }
    sigprocmask(SIG_BLOCK, &set, &g_before);
    // The tool's parent may ignore it; then the program's end would never be seen.
    g_child_ends = ::signal(SIGCHLD, SIG_DFL);
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
    JobControl job(child);
    double overdue_at = -1;  // < 0: nobody asked to end, or it has been said
    while (true) {
        siginfo_t info{};
        const int signal = next_signal(overdue_at < 0 ? -1 : std::max(0.0, overdue_at - now_s()), info);
        if (signal == SIGCHLD) {
            if (has_ended(child, end)) return end;
            job.follow();
            continue;
        }
        if (signal == 0) {
            overdue_at = -1;
            overdue(end);
            continue;
        }
        if (signal < 0) continue;
        const bool news = signal != SIGCONT || job.continue_came();
        if (news && is_to_pass_on(info)) pass_on(child, info);
        if (signal == SIGTSTP) job.stop_came();
        if (!asks_to_end(signal)) continue;
        if (!end.asked_to_end) overdue_at = now_s() + kOverdue_s;
        end.asked_to_end = signal;
    }
}

}  // namespace gimbal::tool
