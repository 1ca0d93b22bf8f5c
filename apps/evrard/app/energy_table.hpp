// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simulation.hpp"

#include <string>

namespace evrard {

/// The energies of every step so far, as the text of a CSV file.
class EnergyTable {
public:
    EnergyTable();

    /// Append the simulation's present state.
    void add(const Simulation& simulation, const Energies& energies);

    /// The whole file: a header line, then one line per step.
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// The same state as nine plain columns: step t dt Etot Ekin Eint Egrav |P| |L|, with a line feed.
std::string ascii_line(const Simulation& simulation, const Energies& energies);

}  // namespace evrard
