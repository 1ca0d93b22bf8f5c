// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restoration.hpp"

#include "common/clock.hpp"
#include "common/stencil_device.hpp"
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

/// The steps of one plane, on threads, or on threads and a device. @return [steps] their times [s]
std::vector<double> regularise(apps::TwoGrids<Cell>& grids, const RegulariseKernel& kernel, const Config& config,
                               const std::function<bool(std::int64_t)>& stop, std::string& report) {
    constexpr std::int64_t kNone = 0;
    if (config.device < 0)
        return apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), kNone, stop, apps::OnThreads{});
    gimbal::DeviceLoop loop(
        {.name = "restore", .rows = grids.rows, .device = config.device, .fixed_part = config.device_part});
    const auto pixels = static_cast<std::size_t>(grids.rows * grids.columns);
    const std::uint8_t* const observed = loop.copy(kernel.observed, pixels);
    const std::uint8_t* const noisy = loop.copy(kernel.noisy, pixels);
    const std::int64_t* const slopes = loop.copy(kernel.slopes, Slopes().size());
    const auto at_device = [&](RegulariseKernel there) {
        there.observed = observed;
        there.noisy = noisy;
        there.slopes = slopes;
        return there;
    };
    apps::WithDevice back(loop, at_device, config.device);
    const std::vector<double> times_s = apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), kNone, stop, back);
    back.fetch(grids.from);
    report = loop.report();
    return times_s;
}

/// Both phases of one plane; adds to the result.
void restore_plane(const Plane& plane, const Slopes& slopes, const Config& config, Restored& result) {
    Detection found;
    result.detection.times_s.push_back(
        apps::seconds_of([&] { found = detect(plane, config.regularisation.kind, config.window); }));
    result.noisy += found.count;
    std::vector<Cell> cells = first_cells(plane, found);
    std::vector<Cell> others = cells;
    RegulariseKernel kernel{
        plane.samples.data(), found.noisy.samples.data(), slopes.data(), plane.height, plane.width, true};
    std::int64_t step = 0;
    const auto stop = [&](std::int64_t change) {
        kernel.all = !config.active;
        ++step;
        return step >= config.max_steps ||
               static_cast<double>(change) < config.bound * static_cast<double>(found.count) || found.count == 0;
    };
    apps::TwoGrids<Cell> grids{plane.height, plane.width, cells.data(), others.data()};
    const std::vector<double> times_s = regularise(grids, kernel, config, stop, result.device);
    Plane restored_plane(plane.width, plane.height);
    for (std::size_t i = 0; i < cells.size(); ++i) restored_plane.samples[i] = grids.from[i].value;
    result.image.planes.push_back(std::move(restored_plane));
    result.median.planes.push_back(std::move(found.filtered));
    auto& times = result.regularisation.times_s;
    times.insert(times.end(), times_s.begin(), times_s.end());
    result.steps += step;
}

}  // namespace

Restored restored(const Image& noisy, const Config& config) {
    Restored result;
    result.detection.name = "detect";
    result.regularisation.name = "regularise";
    const Slopes slopes = slopes_of(config.regularisation);
    for (const Plane& plane : noisy.planes) restore_plane(plane, slopes, config, result);
    return result;
}

}  // namespace restore
