// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.hpp"

#include "update.hpp"

namespace stencil {

void update_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step) {
#pragma omp parallel for schedule(runtime)
    for (std::int64_t p = 0; p < from.pencils(); ++p) {
        update_pencil(from, to, p);
        noise.disturb(step, p);
    }
}

void serial_loop(const Mesh& from, Mesh& to, const Noise& noise, std::int64_t step) {
    for (std::int64_t p = 0; p < from.pencils(); ++p) {
        update_pencil(from, to, p);
        if (noise.mode == NoiseMode::iteration) noise.disturb(step, p);
    }
}

}  // namespace stencil
