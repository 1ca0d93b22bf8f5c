// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchange.hpp"

#include <string>

namespace evrard {

/// Exchange over all ranks of MPI_COMM_WORLD. MPI is initialised while it lives.
class MpiExchange final : public Exchange {
public:
    MpiExchange(int& argc, char**& argv);
    ~MpiExchange() override;
    MpiExchange(const MpiExchange&) = delete;
    MpiExchange& operator=(const MpiExchange&) = delete;

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

    /// How loops are shared out from now on. The same on all ranks.
    /// @param schedule  "static": equal blocks, without Gimbal; "loop": GIMBAL_MPI_SCHEDULE; else a schedule of
    /// Gimbal's
    /// @errors gimbal::Error(invalid_option) if there is no such schedule, also where one rank needs none
    void use_schedule(const std::string& schedule);

    /// @errors gimbal::Error
    void share_out(const char* loop, std::int64_t count, const std::function<void(Range)>& run) override;
    void all_gather(void* items, std::size_t item_bytes, std::int64_t count, std::span<const Range> own) override;

    /// Whether rank 0 said yes. Collective; the others' argument does not count.
    bool agree(bool root_says) const;

    /// Largest value and sum over the ranks, element by element. Collective.
    /// @param values  [n], the same n on all ranks   @param largest, sum  out: [n], set on rank 0
    void reduce(std::span<const double> values, std::span<double> largest, std::span<double> sum) const;

    /// End all ranks, after an error that the others do not see.
    [[noreturn]] static void abort();

private:
    bool blocks() const { return ranks_ == 1 || schedule_ == "static"; }
    void gather_blocks(void* items, std::size_t item_bytes, std::int64_t count) const;
    void gather_ranges(std::byte* items, std::size_t item_bytes, std::int64_t count, std::span<const Range> own) const;

    int rank_ = 0;
    int ranks_ = 1;
    std::string schedule_ = "loop";
};

}  // namespace evrard
