// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gimbal/device_loop.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "stencil_reduce.hpp"

namespace apps {

/// Whether this program was compiled for a device. gcc's target regions need functions that libomp does not have, so
/// they are left out where nothing offloads.
#ifdef APPS_OFFLOAD
inline constexpr bool kOffloads = true;
#else
inline constexpr bool kOffloads = false;
#endif

/// The back end of loop_of_stencil_reduce for threads and a device that share out the rows of each step.
/// @tparam AtDevice  Kernel at_device(const Kernel&): the kernel with the device's addresses
template <class AtDevice>
class WithDevice {
public:
    /// @param loop       of as many rows as the grids have, with the kernel's halo; lives longer
    /// @param at_device  called for each step, where the device takes part
    /// @param number     of the device
    /// @param reads      arrays of the loop that the kernel reads besides the grid
    WithDevice(gimbal::DeviceLoop& loop, AtDevice at_device, int number, std::vector<int> reads)
        : loop_(loop), at_device_(std::move(at_device)), number_(number), reads_(std::move(reads)) {}

    /// The next steps are those of other grids and results: they take the places of those so far on the device.
    void begin_others() {
        for (const auto& [host, array] : arrays_) {
            loop_.rebind(array.number, nullptr);
            free_.push_back(array);
        }
        arrays_.clear();
    }

    template <class Cell, class Kernel, class Combine, class Value>
    void operator()(const TwoGrids<Cell>& grids, const Kernel& kernel, const Combine& combine, Value identity,
                    Value* results) {
        const std::size_t row_bytes = static_cast<std::size_t>(grids.columns) * sizeof(Cell);
        const int from = array_of(grids.from, row_bytes, true);
        const int to = array_of(grids.to, row_bytes, true);
        const int values = array_of(results, sizeof(Value), false);
        const std::int64_t segments = (grids.columns + kSegment - 1) / kSegment;
        const Value* const parts = parts_of(static_cast<std::size_t>(grids.rows * segments), identity);
        const auto host = [&](gimbal::Rows rows) {
            for (std::int64_t row = rows.first; row < rows.end; ++row)
                results[row] = reduced_row(grids, kernel, combine, identity, row);
        };
        const auto device = [&](gimbal::Rows rows) {
            run_on_device(rows, grids.columns, at_device_(kernel), combine, identity,
                          loop_.template on_device<Cell>(from), loop_.template on_device<Cell>(to),
                          loop_.template on_device<Value>(values), const_cast<Value*>(parts), number_);
        };
        std::vector<int> reads = reads_;
        reads.push_back(from);
        loop_.run(reads, {to, values}, host, device);
    }

    /// Have all of a grid on the host.
    template <class Cell>
    void fetch(const Cell* grid) {
        if (const auto known = arrays_.find(grid); known != arrays_.end()) loop_.fetch(known->second.number);
    }

private:
    struct Array {
        int number;
        std::size_t row_bytes;
        bool exchanged;
    };

    int array_of(void* host, std::size_t row_bytes, bool exchanged) {
        const auto known = arrays_.find(host);
        if (known != arrays_.end()) return known->second.number;
        const auto free = std::find_if(free_.begin(), free_.end(), [&](const Array& array) {
            return array.row_bytes == row_bytes && array.exchanged == exchanged;
        });
        Array array{-1, row_bytes, exchanged};
        if (free == free_.end()) {
            array.number = loop_.add_array(host, row_bytes, exchanged);
        } else {
            array.number = free->number;
            free_.erase(free);
            loop_.rebind(array.number, host);
        }
        arrays_[host] = array;
        return array.number;
    }

    /// Memory on the device for the values of segments. @return null without a device
    template <class Value>
    const Value* parts_of(std::size_t count, Value identity) {
        if (count * sizeof(Value) > parts_bytes_ && loop_.on()) {  // at first, and for wider grids
            parts_ = loop_.copy(std::vector<Value>(count, identity).data(), count);
            parts_bytes_ = count * sizeof(Value);
        }
        return static_cast<const Value*>(parts_);
    }

    template <class Cell, class Kernel, class Combine, class Value>
    static void run_on_device(gimbal::Rows rows, std::int64_t columns, Kernel kernel, Combine combine, Value identity,
                              const Cell* from, Cell* to, Value* results, Value* parts, [[maybe_unused]] int number) {
        const std::int64_t first_row = rows.first;
        const std::int64_t end_row = rows.end;
        const std::int64_t segments = (columns + kSegment - 1) / kSegment;
#ifdef APPS_OFFLOAD
#pragma omp target teams distribute is_device_ptr(from, to, results, parts) firstprivate(kernel, combine, identity) \
    device(number)
#endif
        for (std::int64_t row = first_row; row < end_row; ++row) {
#pragma omp parallel for
            for (std::int64_t segment = 0; segment < segments; ++segment) {
                const std::int64_t first = segment * kSegment;
                const std::int64_t end = first + kSegment < columns ? first + kSegment : columns;
                parts[row * segments + segment] = kernel(from, to, row, first, end);
            }
            Value value = identity;
            for (std::int64_t segment = 0; segment < segments; ++segment)
                value = combine(value, parts[row * segments + segment]);
            results[row] = value;
        }
    }

    gimbal::DeviceLoop& loop_;
    AtDevice at_device_;
    int number_;
    std::vector<int> reads_;
    std::map<const void*, Array> arrays_;  // of the loop, by address on the host
    std::vector<Array> free_;              // of grids and results that are gone
    const void* parts_ = nullptr;
    std::size_t parts_bytes_ = 0;
};

}  // namespace apps
