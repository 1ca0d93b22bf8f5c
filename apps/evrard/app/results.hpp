// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "program.hpp"
#include "simulation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace evrard {

/// The present state as an HDF5 file in memory: one dataset per quantity, each with the attributes `unit` and
/// `description`, and the run's parameters as attributes of the root group.
/// The file is made in memory so that a full disk meets our own writing, which can be undone, and not the library's.
/// @return the bytes of the file   @errors std::runtime_error if the library fails
std::vector<std::byte> make_snapshot(const Simulation& simulation, const Config& config);

/// The files and lines of a run: rank 0 has one. Every function may throw std::runtime_error.
/// energies.csv is rewritten as a whole, so that it is complete whenever it can be read.
class Results {
public:
    explicit Results(const Options& options) : options_(options) {}

    /// Record t = 0 and write the first energies.csv: a folder that cannot be written shows before the first step.
    void begin(const Simulation& simulation);

    /// Record a step: prints it for --ascii-energies, and saves energies.csv now and then (at step 0, too).
    void add_step(const Simulation& simulation);

    /// Write energies.csv and a snapshot.
    void save(const Simulation& simulation);

private:
    void save_energies() const;

    const Options& options_;
    std::string energies_ =  ///< energies.csv so far: a line per step
        "t,kinetic,internal,gravitational,total,momentum,angular_momentum,dt,gravity_cov\n";
};

}  // namespace evrard
