// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that squares rows, by threads and a device, with a device that is slow, slower than a thread (outrun), becomes
// slow (later), has no memory, takes long to begin (dear), too long until there is more work (worth), or gets no rows
// (idle), with arrays that lie elsewhere in each execution (moves), grids that get wider (wider), with a device that
// takes no rows from the first execution on, from later ones, or from later ones of a fixed split (refused_first,
// refused_later, refused), or with rows that cannot be copied from it in the end (lost), or when it is left out
// (lost_left_out). usage: device_loop fine|slow|...      exit: 0; 1 if a row is wrong, or rows are lost and nothing
// says so
#include <gimbal/device_loop.hpp>

#include "common/stencil_device.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <stdexcept>
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

bool no_copies_to_device = false;
bool no_copies_from_device = false;
std::set<std::size_t> copied;  // bytes of each copy

}  // namespace

// Instead of the runtime's.
extern "C" int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_offset,
                                 std::size_t from_offset, int to_device, int from_device) {
    const bool from_host = from_device == omp_get_initial_device();
    if (from_host ? no_copies_to_device : no_copies_from_device) return 1;
    copied.insert(bytes);
    static const auto copy = reinterpret_cast<decltype(&omp_target_memcpy)>(dlsym(RTLD_NEXT, "omp_target_memcpy"));
    return copy(to, from, bytes, to_offset, from_offset, to_device, from_device);
}

namespace {

struct AddOne {
    std::int64_t columns;
    std::int64_t operator()(const std::uint8_t* from, std::uint8_t* to, std::int64_t row, std::int64_t first,
                            std::int64_t end) const {
        for (std::int64_t at = row * columns + first; at < row * columns + end; ++at) to[at] = from[at] + 1;
        return end - first;
    }
};

/// Whether one loop serves a grid that is forty times as wide as the first one, values of segments included.
bool serves_wider_grids() {
    gimbal::DeviceLoop loop({.name = "squares", .rows = kRows, .halo = 0, .fixed_part = 0.5});
    apps::WithDevice back(loop, [](const AddOne& kernel) { return kernel; }, 0, {});
    for (const std::int64_t segments : {1, 40}) {
        const std::int64_t columns = segments * apps::kSegment;
        std::vector<std::uint8_t> from(static_cast<std::size_t>(kRows * columns), 1);
        std::vector<std::uint8_t> to(from.size());
        std::vector<std::int64_t> results(kRows);
        const apps::TwoGrids<std::uint8_t> grids{kRows, columns, from.data(), to.data()};
        back.begin_others();
        back(grids, AddOne{columns}, std::plus<>(), std::int64_t{0}, results.data());
        back.fetch(grids.to);
        if (std::count(to.begin(), to.end(), 2) != kRows * columns) return false;
        if (std::count(results.begin(), results.end(), columns) != kRows) return false;
        if (copied.count(static_cast<std::size_t>(kRows * segments) * sizeof(std::int64_t)) == 0) return false;
    }
    return loop.on();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "wider") return serves_wider_grids() ? 0 : 1;
    std::vector<double> a(kRows * kColumns);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<double>(i % 1000);
    std::vector<double> b = a;
    const bool lost = mode == "lost" || mode == "lost_left_out";
    const bool halves = mode == "refused" || lost;
    gimbal::DeviceLoop loop({.name = "squares",
                             .rows = kRows,
                             .fixed_part = mode == "idle" ? 0.0
                                           : halves       ? 0.5
                                                          : -1.0});
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
        no_copies_to_device = mode == "refused_first" || (mode.rfind("refused", 0) == 0 && execution > 4);
        const double* const from = host[execution % 2];
        double* const to = host[1 - execution % 2];
        const auto on_thread = [&](gimbal::Rows rows) {
            runs += rows.size();
            if (omp_get_thread_num() == 0) runs_of_first_thread += rows.size();
            if (mode == "outrun") sleep(100 * rows.size());
            if (mode == "dear") sleep(50 * rows.size());
            if (mode == "worth" && execution > 3) sleep(4000 * rows.size());
            for (std::int64_t row = rows.first; row < rows.end; ++row) {
                square(from, to, row);
                if (row % 3 != 0) ++times[static_cast<std::size_t>(row)];
            }
        };
        const auto on_device = [&](gimbal::Rows rows) {
            if (mode == "slow" || (mode == "later" && execution > 3)) sleep(50000);
            if (mode == "outrun") sleep(150 * rows.size());
            if (mode == "dear") sleep(500);
            if (mode == "worth") sleep(20000);
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
    if (lost) {
        no_copies_from_device = true;
        try {
            mode == "lost" ? loop.fetch(counts) : static_cast<void>(loop.copy(a.data(), std::size_t{1} << 55));
        } catch (const std::runtime_error& error) {
            std::puts(error.what());
            return 0;
        }
        return 1;
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
