// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "clean_end.hpp"

#include <signal.h>

#include <cstddef>
#include <stdexcept>

#include "gimbal/output_file.hpp"

namespace gimbal::tool {

namespace {

volatile std::sig_atomic_t g_came = 0;

void note(int signal) {
    g_came = signal;
}

}  // namespace

CleanEnd::CleanEnd(const std::string& output) : waits_(!is_stream(output)) {
    if (!waits_) return;
    struct sigaction waiting {};
    waiting.sa_handler = note;
    waiting.sa_flags = 0;  // who waits for the other end of a pipe is woken
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &before_[i]);
        if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &waiting, nullptr);
    }
}

CleanEnd::~CleanEnd() {
    if (!waits_) return;
    for (std::size_t i = 0; i < kSignals.size(); ++i)
        if (before_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &before_[i], nullptr);
    if (g_came != 0) raise(g_came);
}

void CleanEnd::check() {
    if (g_came != 0) throw std::runtime_error("interrupted");
}

}  // namespace gimbal::tool
