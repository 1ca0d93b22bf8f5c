// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "sym3.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evrard {

/// What a walk needs to decide about a cell. Cells lie in depth-first order: the first child follows its parent, and
/// `skip` is the first cell that does not belong to this one, so that a walk needs no stack.
struct Cell {
    Vec3 centre_of_mass;
    double open2 = 0.0;       ///< squared distance from which the cell may stand for its particles
    double reach = 0.0;       ///< largest distance of a particle from the centre of mass, plus half the largest h
    std::uint32_t skip = 0;   ///< index of the next cell outside this one
    std::uint32_t first = 0;  ///< first particle, as a slot of the tree
    std::uint32_t count = 0;  ///< particles [count], >= 1
    bool leaf = false;
};

/// Mass distribution of a cell about its centre of mass.
struct Multipole {
    double mass = 0.0;
    Sym3 quadrupole;  ///< traceless: sum of m (3 d d^T - d^2 I)
};

/// Tight box around a cell's particles, and the largest smoothing length inside.
struct Box {
    Vec3 low;
    Vec3 high;
    double largest_h = 0.0;
};

/// Octree over all particles. Built anew in each step, on every rank, from replicated positions alone: it does not
/// depend on schedule, threads, ranks or loop order.
class Octree {
public:
    /// Largest leaf. Walks visit fewer cells, and sums over a leaf vectorise better, than with smaller ones.
    static constexpr std::uint32_t kLeafSize = 32;

    /// @param position  [n >= 1], finite   @param mass  of each particle   @param theta  opening angle, > 0
    /// @cost O(n log n)
    void build(const std::vector<Vec3>& position, double mass, double theta);

    /// Tell the tree the smoothing lengths of this step; gravity and symmetric neighbour searches need them.
    /// @param h  [n] by particle index   @cost O(n)
    void set_smoothing_lengths(const std::vector<double>& h);

    const std::vector<Cell>& cells() const { return cells_; }
    const std::vector<Multipole>& multipoles() const { return multipoles_; }
    const std::vector<Box>& boxes() const { return boxes_; }

    /// Particles in tree order ("slots"): index of the particle, its coordinates and its h. [n] each
    const std::vector<std::uint32_t>& index() const { return index_; }
    const std::vector<double>& x() const { return x_; }
    const std::vector<double>& y() const { return y_; }
    const std::vector<double>& z() const { return z_; }
    const std::vector<double>& h() const { return h_; }
    double mass() const { return mass_; }

private:
    void sort_particles(const std::vector<Vec3>& position);
    void add_cell(std::uint32_t first, std::uint32_t count, int level);
    void sum_cell(std::size_t c);
    void set_opening_distance(std::size_t c, int level);

    double mass_ = 0.0;
    double theta_ = 0.5;
    double side_ = 0.0;
    Vec3 corner_;
    std::vector<std::uint64_t> keys_;
    std::vector<std::uint32_t> index_;
    std::vector<double> x_, y_, z_, h_;
    std::vector<Cell> cells_;
    std::vector<Multipole> multipoles_;
    std::vector<Box> boxes_;
    std::vector<double> radius_;  // largest distance of a particle from the cell's centre of mass
};

}  // namespace evrard
