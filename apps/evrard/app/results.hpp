// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "energy_table.hpp"
#include "options.hpp"

#include <string>

namespace evrard {

/// The files and lines of a run: rank 0 has one. Every function may throw OutputError.
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
    EnergyTable table_;
};

}  // namespace evrard
