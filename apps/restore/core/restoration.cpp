// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restoration.hpp"

#include "common/clock.hpp"
#include "common/stencil_device.hpp"
#include "common/stencil_reduce.hpp"
#include "detect.hpp"
#include "regularise.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace restore {

namespace {

using Stop = std::function<bool(std::int64_t)>;

/// u before the first step: the median in place of every noisy pixel.
std::vector<Cell> first_cells(const Plane& plane, const Detection& found) {
    std::vector<Cell> cells(plane.samples.size());
    for (std::size_t i = 0; i < cells.size(); ++i)
        cells[i].value = found.noisy.samples[i] ? found.filtered.samples[i] : plane.samples[i];
    return cells;
}

/// The steps of planes of one size, on threads and a device.
class DeviceSteps {
public:
    /// @param first  of the first plane; its slopes are those of all
    DeviceSteps(const RegulariseKernel& first, const Config& config)
        : loop_({.name = "restore", .rows = first.rows, .device = config.device, .fixed_part = config.device_part}),
          slopes_(loop_.copy(first.slopes, Slopes().size())),
          observed_(loop_.add_array(bytes_of(first.observed), static_cast<std::size_t>(first.columns))),
          noisy_(loop_.add_array(bytes_of(first.noisy), static_cast<std::size_t>(first.columns))),
          back_(loop_, [this](const RegulariseKernel& here) { return at_device(here); }, config.device,
                {observed_, noisy_}) {}

    /// Those of one plane. @return [steps] their times [s]
    std::vector<double> run(apps::TwoGrids<Cell>& grids, const RegulariseKernel& kernel, const Stop& stop) {
        loop_.rebind(observed_, bytes_of(kernel.observed));
        loop_.rebind(noisy_, bytes_of(kernel.noisy));
        back_.begin_others();
        std::vector<double> times_s =
            apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), std::int64_t{0}, stop, back_);
        back_.fetch(grids.from);
        return times_s;
    }

    [[nodiscard]] std::string report() const { return loop_.report(); }

private:
    /// As DeviceLoop wants them: these are only read.
    static std::uint8_t* bytes_of(const std::uint8_t* samples) { return const_cast<std::uint8_t*>(samples); }

    RegulariseKernel at_device(RegulariseKernel kernel) const {
        kernel.observed = loop_.on_device<std::uint8_t>(observed_);
        kernel.noisy = loop_.on_device<std::uint8_t>(noisy_);
        kernel.slopes = slopes_;
        return kernel;
    }

    gimbal::DeviceLoop loop_;
    const std::int64_t* slopes_;
    int observed_;
    int noisy_;
    apps::WithDevice<std::function<RegulariseKernel(const RegulariseKernel&)>> back_;
};

}  // namespace

struct Restorer::OnDevice {
    static constexpr std::size_t kMaxSizes = 4;  // of images whose loops and memory are kept

    DeviceSteps& of(const RegulariseKernel& kernel, const Config& config) {
        const std::pair size(kernel.rows, kernel.columns);
        if (steps.size() == kMaxSizes && steps.count(size) == 0) steps.clear();
        return steps.try_emplace(size, kernel, config).first->second;
    }

    std::map<std::pair<std::int64_t, std::int64_t>, DeviceSteps> steps;
};

Restorer::Restorer(const Config& config)
    : config_(config), slopes_(slopes_of(config.regularisation)), on_device_(std::make_unique<OnDevice>()) {}

Restorer::~Restorer() = default;

/// Both phases of one plane; adds to the result.
void Restorer::restore_plane(const Plane& plane, Restored& result) {
    Detection found;
    result.detection.times_s.push_back(
        apps::seconds_of([&] { found = detect(plane, config_.regularisation.kind, config_.window); }));
    result.noisy += found.count;
    std::vector<Cell> cells = first_cells(plane, found);
    std::vector<Cell> others = cells;
    RegulariseKernel kernel{
        plane.samples.data(), found.noisy.samples.data(), slopes_.data(), plane.height, plane.width, true};
    std::int64_t step = 0;
    const Stop stop = [&](std::int64_t change) {
        kernel.all = !config_.active;
        ++step;
        return step >= config_.max_steps ||
               static_cast<double>(change) < config_.bound * static_cast<double>(found.count) || found.count == 0;
    };
    apps::TwoGrids<Cell> grids{plane.height, plane.width, cells.data(), others.data()};
    std::vector<double> times_s;
    if (config_.device < 0) {
        times_s = apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), std::int64_t{0}, stop, apps::OnThreads{});
    } else {
        DeviceSteps& steps = on_device_->of(kernel, config_);
        times_s = steps.run(grids, kernel, stop);
        result.device = steps.report();
    }
    Plane restored_plane(plane.width, plane.height);
    for (std::size_t i = 0; i < cells.size(); ++i) restored_plane.samples[i] = grids.from[i].value;
    result.image.planes.push_back(std::move(restored_plane));
    result.median.planes.push_back(std::move(found.filtered));
    auto& times = result.regularisation.times_s;
    times.insert(times.end(), times_s.begin(), times_s.end());
    result.steps += step;
}

Restored Restorer::restored(const Image& noisy) {
    Restored result;
    result.detection.name = "detect";
    result.regularisation.name = "regularise";
    for (const Plane& plane : noisy.planes) restore_plane(plane, result);
    return result;
}

Restored restored(const Image& noisy, const Config& config) {
    return Restorer(config).restored(noisy);
}

}  // namespace restore
