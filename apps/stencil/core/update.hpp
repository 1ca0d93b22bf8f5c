// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"

namespace stencil {

/// Thermal diffusivity x time step / spacing^2; steps are stable up to 1/6.
constexpr double kDiffusion = 0.125;

/// One explicit step of the heat equation (7-point stencil, FTCS) in one pencil.
/// @param from  state before the step   @param to  gets the pencil after the step; the rest is not touched
/// @errors none   @threads pencils of one step are independent   @cost O(n)
inline void update_pencil(const Mesh& from, Mesh& to, std::int64_t pencil) {
    const std::int64_t row = from.row();
    const std::int64_t plane = from.plane();
    const double* __restrict u = from.pencil(pencil);
    double* __restrict next = to.pencil(pencil);
    for (std::int64_t x = 0; x < from.n(); ++x) {
        const double neighbours = (u[x - 1] + u[x + 1]) + (u[x - row] + u[x + row]) + (u[x - plane] + u[x + plane]);
        next[x] = u[x] + kDiffusion * (neighbours - 6.0 * u[x]);
    }
}

}  // namespace stencil
