// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "exchange.hpp"

namespace evrard {

/// Exchange over all ranks of MPI_COMM_WORLD. MPI is initialised while it lives.
class MpiExchange final : public Exchange {
public:
    MpiExchange(int& argc, char**& argv);
    ~MpiExchange() override;
    MpiExchange(const MpiExchange&) = delete;
    MpiExchange& operator=(const MpiExchange&) = delete;

    int rank() const override { return rank_; }
    int ranks() const override { return ranks_; }
    void all_gather(void* items, std::size_t item_bytes, std::span<const std::size_t> starts) override;

    /// Whether rank 0 said yes. Collective; the others' argument does not count.
    bool agree(bool root_says) const;

    /// Largest value and sum over the ranks, element by element. Collective.
    /// @param values  [n], the same n on all ranks   @param largest, sum  out: [n], set on rank 0
    void reduce(std::span<const double> values, std::span<double> largest, std::span<double> sum) const;

private:
    int rank_ = 0;
    int ranks_ = 1;
};

}  // namespace evrard
