// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restoration.hpp"

#include "common/clock.hpp"
#include "common/stencil_reduce.hpp"
#include "detect.hpp"
#include "regularise.hpp"

#include <functional>
#include <utility>
#include <vector>

namespace restore {

namespace {

/// u before the first step: the median in place of every noisy pixel.
std::vector<Cell> first_cells(const Plane& plane, const Detection& found) {
    std::vector<Cell> cells(plane.samples.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i].value = found.noisy.samples[i] ? found.filtered.samples[i] : plane.samples[i];
    return cells;
}

}  // namespace

Restored restored(const Image& noisy, const Config& config) {
    Restored result;
    result.detection.name = "detect";
    result.regularisation.name = "regularise";
    const Functional functional = functional_of(config.regularisation);
    for (const Plane& plane : noisy.planes) {
        Detection found;
        result.detection.times_s.push_back(
            apps::seconds_of([&] { found = detect(plane, config.regularisation.kind, config.window); }));
        result.noisy += found.count;
        std::vector<Cell> cells = first_cells(plane, found);
        std::vector<Cell> others = cells;
        RegulariseKernel kernel{plane.samples.data(),
                                found.noisy.samples.data(),
                                functional.slopes.data(),
                                plane.height,
                                plane.width,
                                true};
        std::int64_t step = 0;
        const auto stop = [&](std::int64_t change) {
            kernel.all = !config.active;
            ++step;
            return step >= config.max_steps ||
                   static_cast<double>(change) < config.bound * static_cast<double>(found.count) || found.count == 0;
        };
        const apps::TwoGrids<Cell> grids{plane.height, plane.width, cells.data(), others.data()};
        const apps::StencilSteps steps =
            apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), std::int64_t{0}, stop, apps::OnThreads{});
        Plane restored_plane(plane.width, plane.height);
        const std::vector<Cell>& last = steps.in_to ? others : cells;
        for (std::size_t i = 0; i < last.size(); ++i) restored_plane.samples[i] = last[i].value;
        result.image.planes.push_back(std::move(restored_plane));
        result.median.planes.push_back(std::move(found.filtered));
        auto& times = result.regularisation.times_s;
        times.insert(times.end(), steps.times_s.begin(), steps.times_s.end());
        result.steps += step;
    }
    return result;
}

}  // namespace restore
