// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hydro.hpp"
#include "density.hpp"
#include "integrator.hpp"
#include "kernel.hpp"
#include "sphere.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace evrard {
namespace {

/// A sphere with a velocity field, packed for the hydrodynamic kernels.
struct Gas : test::Sphere {
    std::vector<Fluid> fluid;
    std::vector<std::vector<std::uint32_t>> lists;

    explicit Gas(std::size_t count, double softening) : Sphere(count), fluid(count), lists(count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const Vec3& x = particles.position[i];
            particles.velocity[i] = {-x.x + 0.3 * std::sin(9.0 * x.y), -x.y, -x.z + 0.2 * std::cos(7.0 * x.x)};
            particles.energy[i] = 0.05 + 0.02 * x.z;
            fluid[i] = equation_of_state(particles, i, softening, config.gamma);
            collect_neighbours(tree, i, x, particles.h[i], lists[i]);
        }
        for (std::uint32_t i = 0; i < count; ++i) fluid[i].gradient = gradient_matrix(fluid, i, lists[i]);
    }
};

TEST(Hydro, GradientIsExactForLinearFields) {
    const Gas gas(600, 0.0);
    const Vec3 slope{0.7, -1.3, 2.1};
    for (std::uint32_t i = 0; i < gas.fluid.size(); i += 7) {
        const Fluid& me = gas.fluid[i];
        Vec3 gradient;
        for (const std::uint32_t j : gas.lists[i]) {
            const Vec3 d = gas.fluid[j].position - me.position;
            const double weight = gas.fluid[j].volume * me.norm * kernel_shape(dot(d, d) * me.inv_h2);
            gradient = gradient + (weight * dot(slope, d)) * (me.gradient * d);
        }
        EXPECT_NEAR(norm(gradient - slope), 0.0, 1e-11) << "particle " << i;
    }
}

TEST(Hydro, ConservesMomentumAndEnergyPairByPair) {
    // With the softening correction off, heating is exactly minus the power of the accelerations.
    const Gas gas(600, 0.0);
    Vec3 force;
    double power = 0.0;
    double heating = 0.0;
    double size = 0.0;
    for (std::uint32_t i = 0; i < gas.fluid.size(); ++i) {
        const HydroResult r = hydro_on(gas.fluid, i, gas.lists[i], gas.particles.mass, gas.config);
        force = force + r.acceleration;
        power += dot(r.acceleration, gas.fluid[i].velocity);
        heating += r.energy_rate;
        size += norm(r.acceleration);
    }
    EXPECT_LT(norm(force), 1e-12 * size);
    EXPECT_NEAR(heating / power, -1.0, 1e-10);
}

TEST(Hydro, SofteningCorrectionMovesButDoesNotHeat) {
    const Gas without(400, 0.0);
    const Gas with(400, 3.0);
    Vec3 force;
    double size = 0.0;
    for (std::uint32_t i = 0; i < without.fluid.size(); ++i) {
        const auto a = hydro_on(without.fluid, i, without.lists[i], without.particles.mass, without.config);
        const auto b = hydro_on(with.fluid, i, with.lists[i], with.particles.mass, with.config);
        EXPECT_EQ(a.energy_rate, b.energy_rate);
        force = force + b.acceleration;
        size += norm(b.acceleration - a.acceleration);
    }
    EXPECT_GT(size, 0.0);
    EXPECT_LT(norm(force), 1e-11 * size);
}

TEST(Hydro, ViscosityHeatsWhatApproachesOnly) {
    Gas gas(400, 0.0);
    Config inviscid = gas.config;
    inviscid.viscosity_alpha = 0.0;
    inviscid.viscosity_beta = 0.0;
    const auto heat_by_viscosity = [&](double sign) {
        double heat = 0.0;
        for (std::uint32_t i = 0; i < gas.fluid.size(); ++i) gas.fluid[i].velocity = sign * gas.fluid[i].position;
        for (std::uint32_t i = 0; i < gas.fluid.size(); ++i) {
            heat += hydro_on(gas.fluid, i, gas.lists[i], gas.particles.mass, gas.config).energy_rate -
                    hydro_on(gas.fluid, i, gas.lists[i], gas.particles.mass, inviscid).energy_rate;
        }
        return heat;
    };
    EXPECT_GT(heat_by_viscosity(-1.0), 0.0);
    EXPECT_EQ(heat_by_viscosity(+1.0), 0.0);
}

TEST(Sym3, InverseTimesMatrixIsOne) {
    const Sym3 m{4.0, 1.0, -0.5, 3.0, 0.25, 2.0};
    const Sym3 inv = inverse(m);
    for (const Vec3& e : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
        EXPECT_NEAR(norm(inv * (m * e) - e), 0.0, 1e-14);
    }
}

}  // namespace
}  // namespace evrard
