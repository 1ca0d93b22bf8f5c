// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop in a template, made for two bodies: one whose costs rise and one whose costs fall. Words: "rising" or
// "falling" for one of them alone; else after the first step loops of that name get a static fraction of a quarter.
#include <cstdio>
#include <string>
#include <vector>

extern "C" {
int gimbal_set_static_fraction(const char* loop, double fraction) __attribute__((weak));
double gimbal_get_static_fraction(const char* loop) __attribute__((weak));
}

namespace {

struct Rising {
    std::vector<double>& sums;
    void operator()(int i) const {
        for (int k = 0; k < i; ++k) sums[i] += 1.0 / (k + 1);
    }
};

struct Falling {
    std::vector<double>& sums;
    void operator()(int i) const {
        for (int k = i; k < static_cast<int>(sums.size()); ++k) sums[i] += 1.0 / (k + 1);
    }
};

template <class Body>
void for_all(int n, const Body& body) {
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; ++i) body(i);
}

}  // namespace

int main(int count, char** words) {
    constexpr int kRows = 400;
    std::vector<double> sums(kRows);
    const std::string word = count > 1 ? words[1] : "";
    const bool alone = word == "rising" || word == "falling";
    for (int step = 0; step < 20; ++step) {
        if (word != "falling") for_all(kRows, Rising{sums});
        if (word != "rising") for_all(kRows, Falling{sums});
        if (step % 2 == 0 && !alone) for_all(kRows, Rising{sums});
        if (step > 0 || count < 2 || alone) continue;
        gimbal_get_static_fraction("main");  // asks for the plain names
        gimbal_set_static_fraction(words[1], 0.25);
    }
    double sum = 0;
    for (const double each : sums) sum += each;
    std::printf("%.9g\n", sum);
    return 0;
}
