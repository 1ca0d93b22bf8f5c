// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include "atomic_file.hpp"
#include "snapshot.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace evrard {

namespace {

constexpr long kStepsBetweenSaves = 100;  // how much of energies.csv a killed run can lose

}  // namespace

void Results::begin(const Simulation& simulation) {
    if (!options_.output.empty()) make_folder(options_.output);
    add_step(simulation);
}

void Results::add_step(const Simulation& simulation) {
    const Energies energies = simulation.energies();
    table_.add(simulation, energies);
    if (simulation.steps() % kStepsBetweenSaves == 0) save_energies();
    if (!options_.ascii_energies) return;
    const std::string line = ascii_line(simulation, energies);
    if (std::fputs(line.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw OutputError(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
}

void Results::save(const Simulation& simulation) {
    if (options_.output.empty()) return;
    save_energies();  // first: it is small, and may still fit where the snapshot does not
    std::array<char, 64> name{};
    std::snprintf(name.data(), name.size(), "/snapshot_%06ld.h5", simulation.steps());
    write_file(options_.output + name.data(), make_snapshot(simulation, options_.config));
}

void Results::save_energies() const {
    if (options_.output.empty()) return;
    write_file(options_.output + "/energies.csv", std::as_bytes(std::span(table_.text())));
}

}  // namespace evrard
