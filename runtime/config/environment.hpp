// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gimbal {

/// One assignment as a user wrote it, before anyone has judged it.
struct Setting {
    std::string name;    ///< "GIMBAL_SCHEDULE", "schedule" or "--schedule"
    std::string value;   ///< any text
    std::string origin;  ///< "environment", "file <path>", "command line" or "API"
};

/// What Gimbal takes from the environment, read in one pass.
struct Environment {
    std::vector<Setting> settings;            ///< every GIMBAL_, KMP_RL_ and LB4MPI_RL_ variable, and other aliases
    std::optional<std::string> omp_schedule;  ///< OMP_SCHEDULE, if set
    int rank = 0;                             ///< from PMI_RANK, OMPI_COMM_WORLD_RANK, PMIX_RANK or SLURM_PROCID
    int ranks = 1;                            ///< from the matching size variable; 1 if unknown
    std::string job;                          ///< identifier given by the batch system; empty: none
    std::size_t columns = 0;                  ///< COLUMNS: how wide text may be; 0: not set [characters]
    std::string home;                         ///< HOME; empty: not set
    std::string cache_home;                   ///< XDG_CACHE_HOME; empty: not set
    std::string launch;  ///< of one start within a job: PMIX_NAMESPACE or SLURM's step; empty: none
};

/// Read the environment; the only place where Gimbal does.
/// @param variables  "NAME=value" strings ending with a null pointer, e.g. `environ`; may be null
/// @errors std::bad_alloc  @threads while nobody calls setenv  @cost one pass
[[nodiscard]] Environment read_environment(const char* const* variables);

}  // namespace gimbal
