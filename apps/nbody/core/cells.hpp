// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/vec3.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nbody {

using apps::Vec3;

/// Bodies sorted into cubic cells at least as wide as the cutoff, so that all within the cutoff of a body lie in its
/// cell and the 26 around it. The order within a cell is that of the bodies: sums over it are reproducible.
class Cells {
public:
    /// @param positions  [n], finite   @param cutoff  > 0   @cost O(n)
    Cells(std::span<const Vec3> positions, double cutoff);

    /// A body in its cell.
    struct Entry {
        Vec3 position;
        std::uint32_t body;
    };

    /// Calls visit(entry) for all bodies of the cells around a place, in an order that depends on the place only.
    template <class Visit>
    void for_each_near(const Vec3& at, const Visit& visit) const {
        const auto middle = place_of(at);
        for (std::int64_t z = first(middle[2]); z <= last(middle[2], sides_[2]); ++z) {
            for (std::int64_t y = first(middle[1]); y <= last(middle[1], sides_[1]); ++y) {
                // Cells that follow each other along x lie one after the other.
                const std::size_t begin = start_[cell(first(middle[0]), y, z)];
                const std::size_t end = start_[cell(last(middle[0], sides_[0]), y, z) + 1];
                for (std::size_t k = begin; k < end; ++k) visit(entries_[k]);
            }
        }
    }

private:
    std::array<std::int64_t, 3> place_of(const Vec3& at) const;
    std::size_t cell(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return static_cast<std::size_t>((z * sides_[1] + y) * sides_[0] + x);
    }
    static std::int64_t first(std::int64_t middle) { return middle > 0 ? middle - 1 : 0; }
    static std::int64_t last(std::int64_t middle, std::int64_t side) { return middle + 1 < side ? middle + 1 : middle; }

    Vec3 corner_;
    double width_ = 0.0;
    std::array<std::int64_t, 3> sides_{};  ///< cells along x, y and z
    std::vector<std::size_t> start_;       ///< [cells + 1] where a cell's entries begin
    std::vector<Entry> entries_;           ///< [n]
};

}  // namespace nbody
