// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "results.hpp"

#include <hdf5.h>

#include <array>
#include <stdexcept>
#include <string>

namespace evrard {

namespace {

hid_t checked(hid_t id) {
    if (id < 0) throw std::runtime_error("the HDF5 library could not make the snapshot");
    return id;
}

/// Closes an HDF5 object at the end of its scope.
class Handle {
public:
    using Close = herr_t (*)(hid_t);
    Handle(hid_t id, Close close) : id_(checked(id)), close_(close) {}
    ~Handle() { close_(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    Close close_;
};

void add_text(hid_t object, const char* name, const std::string& value) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    checked(H5Tset_size(type, value.size() + 1));
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    checked(H5Awrite(attribute, type, value.c_str()));
}

void add_number(hid_t object, const char* name, double value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    checked(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value));
}

struct Quantity {
    const char* name;
    const char* unit;
    const char* description;
};

void add_dataset(hid_t file, const Quantity& quantity, const double* values, hsize_t rows, hsize_t columns) {
    const std::array<hsize_t, 2> shape{rows, columns};
    const Handle space(H5Screate_simple(columns > 1 ? 2 : 1, shape.data(), nullptr), H5Sclose);
    const Handle dataset(H5Dcreate2(file, quantity.name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose);
    checked(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    add_text(dataset, "unit", quantity.unit);
    add_text(dataset, "description", quantity.description);
}

void add_dataset(hid_t file, const Quantity& quantity, const std::vector<double>& values) {
    add_dataset(file, quantity, values.data(), values.size(), 1);
}

void add_dataset(hid_t file, const Quantity& quantity, const std::vector<Vec3>& values) {
    static_assert(sizeof(Vec3) == 3 * sizeof(double), "rows of three coordinates");
    add_dataset(file, quantity, &values.data()->x, values.size(), 3);
}

void add_particles(hid_t file, const Particles& p) {
    add_dataset(file, {"position", "R", "x, y, z of each particle"}, p.position);
    add_dataset(file, {"velocity", "sqrt(G M / R)", "x, y, z components"}, p.velocity);
    add_dataset(file, {"acceleration", "G M / R^2", "gravity and pressure together"}, p.acceleration);
    add_dataset(file, {"gravity", "G M / R^2", "gravitational part of the acceleration"}, p.gravity);
    add_dataset(file, {"density", "M / R^3", "SPH density"}, p.density);
    add_dataset(file, {"internal_energy", "G M / R", "specific internal energy"}, p.energy);
    add_dataset(file, {"smoothing_length", "R", "h; the kernel's support has radius 2 h"}, p.h);
    add_dataset(file, {"potential", "G M / R", "softened gravitational potential per unit mass"}, p.potential);
    add_dataset(file, {"gravity_cost", "count", "2 per cell used and 1 per particle visited"}, p.interactions);
}

void add_parameters(hid_t file, const Simulation& simulation, const Config& config) {
    add_text(file, "units", "G = M = R = 1; time in sqrt(R^3 / (G M))");
    add_number(file, "time", simulation.time());
    add_number(file, "step", static_cast<double>(simulation.steps()));
    add_number(file, "particles", static_cast<double>(simulation.particles().size()));
    add_number(file, "particle_mass", simulation.particles().mass);
    add_number(file, "gamma", config.gamma);
    add_number(file, "theta", config.theta);
    add_number(file, "neighbours", config.neighbours);
    add_number(file, "seed", static_cast<double>(config.seed));
}

std::vector<std::byte> image_of(hid_t file) {
    checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const auto size = checked(H5Fget_file_image(file, nullptr, 0));
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    checked(H5Fget_file_image(file, bytes.data(), bytes.size()));
    return bytes;
}

}  // namespace

std::vector<std::byte> make_snapshot(const Simulation& simulation, const Config& config) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // one line of ours instead of the library's stack
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    constexpr std::size_t kGrowth = std::size_t{1} << 20;
    checked(H5Pset_fapl_core(access, kGrowth, false));
    // The name is never used: nothing of a core file without backing store reaches the disk.
    const Handle file(H5Fcreate("evrard-in-memory", H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    add_parameters(file, simulation, config);
    add_particles(file, simulation.particles());
    return image_of(file);
}

}  // namespace evrard
