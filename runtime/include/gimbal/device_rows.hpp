// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace gimbal {

/// A range of rows [first, end).
struct Rows {
    std::int64_t first = 0;
    std::int64_t end = 0;

    [[nodiscard]] std::int64_t size() const noexcept { return end - first; }
};

/// Arrays of rows that a host and an OpenMP device both have, and for each row, which of them has it as it was written
/// last. Rows are copied only when the side that lacks them needs them.
/// @threads bring_in() and hand_over() by all threads of an execution; the rest by one, between executions
class DeviceRows {
public:
    /// @param rows  of every array [rows]  @param halo  rows to each side that a row is computed from [rows]
    DeviceRows(std::int64_t rows, std::int64_t halo, int device) : rows_(rows), halo_(halo), device_(device) {}
    ~DeviceRows() {
        for (void* const memory : memory_) omp_target_free(memory, device_);
    }
    DeviceRows(const DeviceRows&) = delete;
    DeviceRows& operator=(const DeviceRows&) = delete;

    /// Memory on the device that holds what lies on the host, until this object ends. @return null: there is none left
    void* copy(const void* host, std::size_t bytes) {
        void* const memory = omp_target_alloc(std::max<std::size_t>(bytes, 1), device_);
        if (!memory) return nullptr;
        memory_.push_back(memory);
        return bytes == 0 || copy_bytes(memory, host, bytes, true) ? memory : nullptr;
    }

    /// One more array; both sides have all of it. @param device  its memory there, or null
    /// @param exchanged  false: the host gets rows as soon as they are written  @return its number
    int add(void* host, void* device, std::size_t row_bytes, bool exchanged) {
        arrays_.push_back({static_cast<char*>(host), static_cast<char*>(device), row_bytes, exchanged,
                           std::vector<std::uint8_t>(static_cast<std::size_t>(rows_), kOnHost | kOnDevice)});
        return static_cast<int>(arrays_.size()) - 1;
    }

    /// Where an array lies on the device.
    [[nodiscard]] void* on_device(int array) const { return arrays_[static_cast<std::size_t>(array)].device; }

    /// Before rows are computed on one side: it gets what they are computed from, and what it may leave as it is; the
    /// other side loses them. Of an array that is written no neighbours are read: they may be written at this moment.
    /// @param reads, writes  numbers of arrays
    /// @return false: they cannot be copied, and both sides have what they had
    [[nodiscard]] bool bring_in(const std::vector<int>& reads, const std::vector<int>& writes, Rows rows,
                                bool to_device) {
        const Rows around{std::max<std::int64_t>(rows.first - halo_, 0), std::min(rows.end + halo_, rows_)};
        const std::lock_guard lock(mutex_);
        if (to_device && refused_) return false;
        bool whole = true;
        for (const int array : reads)
            if (std::find(writes.begin(), writes.end(), array) == writes.end())
                whole &= bring(arrays_[static_cast<std::size_t>(array)], around, to_device);
        for (const int array : writes) whole &= bring(arrays_[static_cast<std::size_t>(array)], rows, to_device);
        if (!whole) return false;
        for (const int array : writes) {
            auto& where = arrays_[static_cast<std::size_t>(array)].where;
            std::fill(where.begin() + rows.first, where.begin() + rows.end, to_device ? kOnDevice : kOnHost);
        }
        return true;
    }

    /// What threads need of rows that the device has written: those next to other rows, or all.
    void hand_over(const std::vector<int>& writes, Rows rows) {
        const std::lock_guard lock(mutex_);
        for (const int number : writes) {
            Array& array = arrays_[static_cast<std::size_t>(number)];
            if (!array.exchanged || rows.size() <= 2 * halo_) {
                bring(array, rows, false);
                continue;
            }
            bring(array, {rows.first, rows.first + halo_}, false);
            bring(array, {rows.end - halo_, rows.end}, false);
        }
    }

    /// The host has written an array by itself: the device's rows are old.
    void changed(int array) {
        auto& where = arrays_[static_cast<std::size_t>(array)].where;
        std::fill(where.begin(), where.end(), kOnHost);
    }
    void all_changed() {
        for (int array = 0; array < static_cast<int>(arrays_.size()); ++array) changed(array);
    }

    /// The host's rows are others, at this address.
    void rebind(int array, void* host) {
        arrays_[static_cast<std::size_t>(array)].host = static_cast<char*>(host);
        changed(array);
    }

    /// Have all rows of an array on the host.
    void fetch(int array) { bring(arrays_[static_cast<std::size_t>(array)], {0, rows_}, false); }
    void fetch_all() {
        for (Array& array : arrays_) bring(array, {0, rows_}, false);
    }

    /// Whether a copy from the device has failed: rows are lost.
    [[nodiscard]] bool lost() const noexcept { return lost_; }
    /// Whether a copy to the device has failed: the host has all that the device lacks.
    [[nodiscard]] bool refused() const noexcept { return refused_; }

private:
    enum : std::uint8_t { kOnHost = 1, kOnDevice = 2 };

    struct Array {
        char* host;
        char* device;
        std::size_t row_bytes;
        bool exchanged;
        std::vector<std::uint8_t> where;  // [rows]
    };

    bool copy_bytes(void* to, const void* from, std::size_t bytes, bool to_device) const {
        const int host = omp_get_initial_device();
        return omp_target_memcpy(to, from, bytes, 0, 0, to_device ? device_ : host, to_device ? host : device_) == 0;
    }

    /// Copies the rows that one side lacks, each run of them at once. @return false: not all of them
    /// @threads under the lock, or alone
    bool bring(Array& array, Rows rows, bool to_device) {
        const std::uint8_t wanted = to_device ? kOnDevice : kOnHost;
        const auto lacks = [&](std::int64_t row) { return !(array.where[static_cast<std::size_t>(row)] & wanted); };
        for (std::int64_t row = rows.first; row < rows.end; ++row) {
            if (!lacks(row)) continue;
            const std::int64_t first = row;
            while (row < rows.end && lacks(row)) ++row;
            const std::size_t at = static_cast<std::size_t>(first) * array.row_bytes;
            const std::size_t bytes = static_cast<std::size_t>(row - first) * array.row_bytes;
            char* const host = array.host + at;
            char* const device = array.device + at;
            if (!copy_bytes(to_device ? device : host, to_device ? host : device, bytes, to_device)) {
                (to_device ? refused_ : lost_) = true;
                return false;
            }
            for (std::int64_t copied = first; copied < row; ++copied)
                array.where[static_cast<std::size_t>(copied)] |= wanted;
        }
        return true;
    }

    std::int64_t rows_;
    std::int64_t halo_;
    int device_;
    std::vector<void*> memory_;
    std::vector<Array> arrays_;
    std::mutex mutex_;  // of `where`, `lost_` and `refused_`, while chunks run
    bool lost_ = false;
    bool refused_ = false;
};

}  // namespace gimbal
