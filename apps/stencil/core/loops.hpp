// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mesh.hpp"
#include "noise.hpp"

#include <cstdint>

namespace stencil {

/// The parallel loop: one iteration is one pencil of cells, which it alone writes. All pencils cost the same, but for
/// the noise. `schedule(runtime)`: the schedule is chosen from outside, and the result does not depend on it.
/// @param step  only chooses the noise
void update_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step);

/// The same by the calling thread alone: the work that the loop shares out. Delays of iterations belong to it; delays
/// of a thread do not.
void serial_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step);

}  // namespace stencil
