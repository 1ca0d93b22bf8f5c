// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/run_record.hpp"

namespace gimbal {

/// Where the time of all cores went between MPI_Init and MPI_Finalize, as POP and TALP tell it: factors that multiply
/// to the parallel efficiency, and core seconds that add up to ranks * threads * wall_s.
/// @source POP (pop-coe.eu) for the factors over ranks, TALP for those over threads; formulas: gimbal info metrics
struct Efficiency {
    std::uint32_t ranks = 0;    ///< [count]
    std::uint32_t threads = 1;  ///< of a rank: its largest team [count]
    double wall_s = 0;          ///< of the longest rank [s]

    double useful_s = 0;           ///< [core s], as all that follow; cores that were lent and used are in it
    double ranks_balance_s = 0;    ///< ranks compute less than the one that computes most
    double serialisation_s = 0;    ///< ranks wait for each other in turns
    double transfer_s = 0;         ///< in MPI without waiting for anybody
    double threads_balance_s = 0;  ///< threads wait for the last one at the end of loops
    double scheduling_s = 0;       ///< entering and leaving loops, drawing chunks, threads that come late
    double serial_s = 0;           ///< threads without work: outside of Gimbal's loops one is taken to compute

    /// 1 where nothing was measured.
    [[nodiscard]] double parallel() const noexcept { return ratio(useful_s, all_s()); }
    [[nodiscard]] double mpi() const noexcept { return load_balance() * communication(); }
    [[nodiscard]] double load_balance() const noexcept;
    [[nodiscard]] double communication() const noexcept { return serialisation() * transfer(); }
    [[nodiscard]] double serialisation() const noexcept;
    [[nodiscard]] double transfer() const noexcept;
    [[nodiscard]] double openmp() const noexcept { return ratio(useful_s, outside_mpi_s()); }
    [[nodiscard]] double threads_balance() const noexcept;
    [[nodiscard]] double scheduling() const noexcept;
    [[nodiscard]] double serial() const noexcept;

    [[nodiscard]] double all_s() const noexcept { return ranks * threads * wall_s; }
    [[nodiscard]] double outside_mpi_s() const noexcept {
        return useful_s + threads_balance_s + scheduling_s + serial_s;
    }

private:
    [[nodiscard]] static double ratio(double part, double whole) noexcept { return whole > 0 ? part / whole : 1; }
};

/// @param records  of one run  @return nothing: there is a rank of the job whose time in MPI is not known
/// @errors std::bad_alloc  @threads any  @cost O(records * loops)
[[nodiscard]] std::optional<Efficiency> efficiency(std::span<const RunRecord> records);

/// Places where ranks wait, over all ranks: sums, and who was last. Those with the longest waiting first.
/// @errors std::bad_alloc  @threads any
[[nodiscard]] std::vector<WaitingPath> waiting_places(std::span<const RunRecord> records);

}  // namespace gimbal
