// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "density.hpp"
#include "initial.hpp"
#include "octree.hpp"

namespace evrard::test {

/// An initial sphere with its tree and its smoothing lengths, for tests of single kernels.
struct Sphere {
    Config config;
    Particles particles;
    Octree tree;

    explicit Sphere(std::size_t count, std::uint64_t seed = 1) {
        config.particles = count;
        config.seed = seed;
        particles = make_initial_sphere(config);
        tree.build(particles.position, particles.mass, config.theta);
        std::vector<double> scratch;
        for (std::size_t i = 0; i < count; ++i) {
            const DensityResult found =
                density_of(tree, particles.position[i], particles.h[i], config.neighbours, scratch);
            particles.h[i] = found.h;
            particles.density[i] = found.density;
        }
        tree.set_smoothing_lengths(particles.h);
    }
};

}  // namespace evrard::test
