// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "step.hpp"

#include <gimbal/mpi/loop.hpp>
#include <gimbal/mpi/steal_loop.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>

namespace pisolver {

Step static_step(Range range, WorkView work, Iteration iteration) {
    return [=](Tally& tally, StepRecord& record) mutable {
        timed(record, [&] {
            for (std::int64_t i = range.first; i < range.end; ++i) {
                tally.add(i, iteration(work[static_cast<std::size_t>(i - range.first)]));
            }
        });
    };
}

Step loop_step(WorkView work, Iteration iteration, const std::string& schedule) {
    return [=](Tally& tally, StepRecord& record) mutable {
        gimbal::mpi::Loop loop(MPI_COMM_WORLD, "pisolver", std::ssize(work), {.schedule = schedule});
        while (const auto chunk = loop.next()) {
            timed(record, [&] {
                for (std::int64_t i = chunk.first; i < chunk.end; ++i) {
                    tally.add(i, iteration(work[static_cast<std::size_t>(i)]));
                }
            });
        }
    };
}

namespace {

using Bytes = std::vector<std::byte>;

template <class Value>
void append(Bytes& bytes, std::span<const Value> values) {
    const auto more = std::as_bytes(values);
    bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Value `k` of those in a message, which need not be aligned.
template <class Value>
Value value_at(std::span<const std::byte> bytes, std::int64_t k) {
    Value value{};
    std::memcpy(&value, &bytes[static_cast<std::size_t>(k) * sizeof value], sizeof value);
    return value;
}

}  // namespace

Step steal_step(Range own, WorkView work, Iteration iteration) {
    return [=](Tally& tally, StepRecord& record) mutable {
        gimbal::mpi::StealWork items;
        items.run = [&](std::int64_t first, std::int64_t count) {
            timed(record, [&] {
                for (std::int64_t k = first; k < first + count; ++k) {
                    tally.add(own.first + k, iteration(work[static_cast<std::size_t>(k)]));
                }
            });
        };
        items.pack = [&](std::int64_t first, std::int64_t count, Bytes& packed) {
            append(packed, work.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        };
        items.run_stolen = [&](int, std::int64_t, std::int64_t count, std::span<const std::byte> packed,
                               Bytes& results) {
            timed(record, [&] {
                for (std::int64_t k = 0; k < count; ++k) {
                    const double pi = iteration(value_at<std::int64_t>(packed, k));
                    append(results, std::span<const double>(&pi, 1));
                }
            });
        };
        items.accept = [&](std::int64_t first, std::int64_t count, std::span<const std::byte> results) {
            for (std::int64_t k = 0; k < count; ++k) tally.add(own.first + first + k, value_at<double>(results, k));
        };
        const gimbal::mpi::StealRecord did =
            gimbal::mpi::StealLoop(MPI_COMM_WORLD, "pisolver", own.size(), items).run();
        record.attempts += did.attempts;
        record.steals += did.successes;
        record.stolen += did.stolen;
        record.bytes += did.bytes_in + did.bytes_out;
    };
}

}  // namespace pisolver
