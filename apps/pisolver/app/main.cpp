// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/mpi_program.hpp"
#include "options.hpp"
#include "report.hpp"
#include "run.hpp"

#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
    using namespace pisolver;
    return apps::run_mpi_program("pisolver", argc, argv, [&](int rank) {
        int ranks = 1;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        const Options options = parse_options(argc, argv, ranks, rank == 0);
        if (options.command_line.finished) return options.command_line.exit_code;
        const Result result = run(options, rank, ranks);
        if (!result.fault.empty()) {
            if (rank == 0) std::fprintf(stderr, "pisolver: error: %s\n", result.fault.c_str());
            return 1;
        }
        if (rank == 0) print_table(options, ranks, result);
        if (rank == 0 && options.json) print_json(options, ranks, result);
        return 0;
    });
}
