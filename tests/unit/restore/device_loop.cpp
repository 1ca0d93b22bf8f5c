// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that squares rows, by threads and a device, with a device that is slow, slower than a thread (outrun), becomes
// slow (later), has no memory, takes long to begin (dear), or gets no rows (idle), or with arrays that lie elsewhere in
// each execution (moves).
// usage: device_loop fine|slow|outrun|later|memory|dear|idle|moves      exit: 0; 1 if a row is wrong
#include <gimbal/device_loop.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::int64_t kRows = 400;
constexpr std::int64_t kColumns = 300;
constexpr int kExecutions = 16;

/// Work of some microseconds a row.
void square(const double* from, double* to, std::int64_t row) {
    for (std::int64_t at = row * kColumns; at < (row + 1) * kColumns; ++at) {
        double value = from[at];
        for (int k = 0; k < 20; ++k) value = value * 0.5 + from[at] * 0.5;
        to[at] = value + 1;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    std::vector<double> a(kRows * kColumns);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 1000);
    std::vector<double> b = a;
    gimbal::DeviceLoop loop({.name = "squares", .rows = kRows, .fixed_part = mode == "idle" ? 0.0 : -1.0});
    int arrays[] = {loop.add_array(a.data(), kColumns * sizeof(double)),
                    loop.add_array(b.data(), kColumns * sizeof(double))};
    if (mode == "memory") loop.copy(a.data(), std::size_t{1} << 55);
    double* host[] = {a.data(), b.data()};
    // Written in place, beside what other rows are computed from.
    std::vector<std::int64_t> times(kRows);
    const int counts = loop.add_array(times.data(), sizeof(std::int64_t));
    std::vector<int> launches(kExecutions);
    std::atomic<std::int64_t> runs = 0;
    std::atomic<std::int64_t> runs_of_first_thread = 0;
    const auto sleep = [](std::int64_t us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); };
    std::vector<double> rooms[2][2];  // of each array, in turns
    const auto move = [&](int execution) {
        for (int k = 0; k < 2; ++k) {
            std::vector<double>& room = rooms[k][execution % 2];
            loop.fetch(arrays[k]);
            room.assign(host[k], host[k] + kRows * kColumns);
            std::fill_n(host[k], kRows * kColumns, -1.0);
            loop.rebind(arrays[k], host[k] = room.data());
        }
    };
    for (int execution = 0; execution < kExecutions; ++execution) {
        if (mode == "moves") move(execution);
        const double* const from = host[execution % 2];
        double* const to = host[1 - execution % 2];
        const auto on_thread = [&](gimbal::Rows rows) {
            runs += rows.size();
            if (omp_get_thread_num() == 0) runs_of_first_thread += rows.size();
            if (mode == "outrun") sleep(100 * rows.size());
            if (mode == "dear") sleep(50 * rows.size());
            for (std::int64_t row = rows.first; row < rows.end; ++row) {
                square(from, to, row);
                if (row % 3 != 0) ++times[static_cast<std::size_t>(row)];
            }
        };
        const auto on_device = [&](gimbal::Rows rows) {
            if (mode == "slow" || (mode == "later" && execution > 3)) sleep(50000);
            if (mode == "outrun") sleep(150 * rows.size());
            if (mode == "dear") sleep(500);
            ++launches[static_cast<std::size_t>(execution)];
            runs += rows.size();
            const double* const read = loop.on_device<double>(arrays[execution % 2]);
            double* const written = loop.on_device<double>(arrays[1 - execution % 2]);
            std::int64_t* const count = loop.on_device<std::int64_t>(counts);
            const std::int64_t first = rows.first;
            const std::int64_t end = rows.end;
#pragma omp target teams distribute parallel for is_device_ptr(read, written, count)
            for (std::int64_t row = first; row < end; ++row) {
                square(read, written, row);
                if (row % 3 != 0) ++count[row];
            }
        };
        loop.run({arrays[execution % 2]}, {arrays[1 - execution % 2], counts}, on_thread, on_device);
        if (execution % 5 != 4) continue;
        // The host changes rows by itself.
        loop.fetch(counts);
        for (std::int64_t& time : times) time += 100;
        loop.changed(counts);
    }
    loop.fetch(counts);
    for (std::int64_t row = 0; row < kRows; ++row)
        if (times[static_cast<std::size_t>(row)] != 100 * (kExecutions / 5) + (row % 3 != 0 ? kExecutions : 0))
            return 1;
    loop.fetch(arrays[kExecutions % 2]);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (host[kExecutions % 2][i] != static_cast<double>(i % 1000) + kExecutions) return 1;
    }
    if (runs != kRows * kExecutions) return 1;  // each row once, the first execution's, too
    if (mode == "idle" && runs_of_first_thread == 0) return 1;
    std::printf("%s, %s, launches", loop.on() ? "on" : "off", loop.report().c_str());
    for (const int in_execution : launches) std::printf(" %d", in_execution);
    std::printf("\n");
    return 0;
}
