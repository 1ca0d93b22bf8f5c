// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi_exchange.hpp"

#include <mpi.h>

#include <vector>

namespace evrard {

// MPI's default error handler ends all ranks with a message, so that return codes need no check.

MpiExchange::MpiExchange(int& argc, char**& argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiExchange::~MpiExchange() {
    MPI_Finalize();
}

void MpiExchange::all_gather(void* items, std::size_t item_bytes, std::span<const std::size_t> starts) {
    if (ranks_ == 1) return;
    // Counting in items keeps the counts inside an int for any number of particles that fits into memory.
    MPI_Datatype item = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(item_bytes), MPI_BYTE, &item);
    MPI_Type_commit(&item);
    const auto parts = static_cast<std::size_t>(ranks_);
    std::vector<int> counts(parts);
    std::vector<int> offsets(parts);
    for (std::size_t r = 0; r < parts; ++r) {
        counts[r] = static_cast<int>(starts[r + 1] - starts[r]);
        offsets[r] = static_cast<int>(starts[r]);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, items, counts.data(), offsets.data(), item, MPI_COMM_WORLD);
    MPI_Type_free(&item);
}

bool MpiExchange::agree(bool root_says) const {
    int yes = root_says ? 1 : 0;
    MPI_Bcast(&yes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return yes == 1;
}

void MpiExchange::reduce(std::span<const double> values, std::span<double> largest, std::span<double> sum) const {
    const int count = static_cast<int>(values.size());
    MPI_Reduce(values.data(), largest.data(), count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(values.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

}  // namespace evrard
