// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ threads that say what they have done. Arguments: threads, seconds. The second thread asks to be left alone after
// half of the time; it must have its first mask again at the end. So does the third one after a quarter, which asks to
// be placed again after half of it.
#include <sched.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "gimbal/pin.h"

namespace {

using Clock = std::chrono::steady_clock;

int processors() {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    return CPU_COUNT(&mask);
}

int compute(int number, double seconds) {
    if (gimbal_pin_register) gimbal_pin_register(("worker " + std::to_string(number)).c_str());
    const auto begin = Clock::now();
    bool leaves = number == 1 || number == 2, comes_back = number == 2;
    const double leaves_at = number == 1 ? seconds / 2 : seconds / 4;
    volatile double sink = 0;
    for (;;) {
        const double at = std::chrono::duration<double>(Clock::now() - begin).count();
        if (at > seconds) break;
        if (leaves && at > leaves_at && gimbal_pin_unregister) {
            gimbal_pin_unregister();
            leaves = false;
        }
        if (comes_back && at > seconds / 2 && gimbal_pin_register) {
            gimbal_pin_register("back");
            comes_back = false;
        }
        for (int i = 0; i < 100000; ++i) sink = sink + i;
        if (gimbal_pin_progress) gimbal_pin_progress(1);
    }
    return processors();
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    const double seconds = argc > 2 ? std::atof(argv[2]) : 1.5;
    std::vector<std::thread> team;
    std::vector<int> had(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i)
        team.emplace_back([&, i] { had[static_cast<std::size_t>(i)] = compute(i, seconds); });
    for (std::thread& one : team) one.join();
    std::printf("first=%d second=%d third=%d\n", had[0], had[1], threads > 2 ? had[2] : 0);
    return 5;
}
