// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "restoration.hpp"

#include "common/clock.hpp"
#include "common/stencil_device.hpp"
#include "common/stencil_reduce.hpp"
#include "detect.hpp"
#include "regularise.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace restore {

namespace {

using Stop = std::function<bool(std::int64_t)>;

/// u before the first step, twice: the median in place of every noisy pixel.
class FirstCells {
public:
    // A thread writes first what it will write in steps under `static`: memory lies near it.
    FirstCells(const Plane& plane, const Detection& found)
        : cells_(std::make_unique_for_overwrite<Cell[]>(2 * plane.samples.size())),
          grids_{plane.height, plane.width, cells_.get(), cells_.get() + plane.samples.size()} {
#pragma omp parallel for schedule(static)
        for (std::int64_t y = 0; y < plane.height; ++y) {
            for (std::int64_t at = y * plane.width; at < (y + 1) * plane.width; ++at) {
                const auto i = static_cast<std::size_t>(at);
                const bool noisy = found.noisy.samples[i] != 0;
                grids_.from[at] = grids_.to[at] = {noisy ? found.filtered.samples[i] : plane.samples[i], 0};
            }
        }
    }

    apps::TwoGrids<Cell>& grids() {
        return grids_;
    }

private:
    std::unique_ptr<Cell[]> cells_;
    apps::TwoGrids<Cell> grids_;
};

/// The back end for threads. Steps over all pixels are a loop of their own, since their rows cost something else.
struct OnThreads {
    void operator()(const apps::TwoGrids<Cell>& grids, const RegulariseKernel& kernel, const std::plus<>& combine,
                    std::int64_t identity, std::int64_t* changes) const {
        if (!kernel.all) {
            apps::OnThreads{}(grids, Moving{kernel}, combine, identity, changes);
            return;
        }
#pragma omp parallel for schedule(runtime)
        for (std::int64_t row = 0; row < grids.rows; ++row)
            changes[row] = apps::reduced_row(grids, All{kernel}, combine, identity, row);
    }

private:
    template <bool all>
    struct Step {
        const RegulariseKernel& kernel;
        std::int64_t operator()(const Cell* from, Cell* to, std::int64_t row, std::int64_t first,
                                std::int64_t end) const {
            return kernel.step<all>(from, to, row, first, end);
        }
    };
    using All = Step<true>;
    using Moving = Step<false>;
};

/// The steps of planes of one size, on threads and a device.
class DeviceSteps {
public:
    /// @param first  of the first plane; its slopes are those of all
    DeviceSteps(const RegulariseKernel& first, const Config& config)
        : rows_(first.rows),
          columns_(first.columns),
          loop_({.name = "restore " + std::to_string(first.columns) + " x " + std::to_string(first.rows),
                 .rows = first.rows,
                 .device = config.device,
                 .fixed_part = config.device_part}),
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
    [[nodiscard]] bool fits(const RegulariseKernel& other) const {
        return other.rows == rows_ && other.columns == columns_;
    }

private:
    /// As DeviceLoop wants them: these are only read.
    static std::uint8_t* bytes_of(const std::uint8_t* samples) { return const_cast<std::uint8_t*>(samples); }

    RegulariseKernel at_device(RegulariseKernel kernel) const {
        kernel.observed = loop_.on_device<std::uint8_t>(observed_);
        kernel.noisy = loop_.on_device<std::uint8_t>(noisy_);
        kernel.slopes = slopes_;
        return kernel;
    }

    std::int64_t rows_;
    std::int64_t columns_;
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
        const auto known = std::find_if(steps.begin(), steps.end(), [&](const auto& one) { return one.fits(kernel); });
        if (known != steps.end()) {
            steps.splice(steps.begin(), steps, known);
        } else {
            if (steps.size() == kMaxSizes) steps.pop_back();
            steps.emplace_front(kernel, config);
        }
        return steps.front();
    }

    std::list<DeviceSteps> steps;  // the one that was used last first
};

Restorer::Restorer(const Config& config)
    : config_(config), slopes_(slopes_of(config.regularisation)), on_device_(std::make_unique<OnDevice>()) {}

Restorer::~Restorer() = default;

/// The second phase of one plane that has noisy pixels; adds to the result. @return the plane
Plane Restorer::regularised(const Plane& plane, const Detection& found, Restored& result) {
    FirstCells cells(plane, found);
    apps::TwoGrids<Cell>& grids = cells.grids();
    RegulariseKernel kernel{
        plane.samples.data(), found.noisy.samples.data(), slopes_.data(), plane.height, plane.width, true};
    std::int64_t step = 0;
    const Stop stop = [&](std::int64_t change) {
        kernel.all = !config_.active;
        ++step;
        return step >= config_.max_steps ||
               static_cast<double>(change) < config_.bound * static_cast<double>(found.count);
    };
    std::vector<double> times_s;
    if (config_.device < 0) {
        times_s = apps::loop_of_stencil_reduce(grids, kernel, std::plus<>(), std::int64_t{0}, stop, OnThreads{});
    } else {
        DeviceSteps& steps = on_device_->of(kernel, config_);
        times_s = steps.run(grids, kernel, stop);
        result.device = steps.report();
    }
    Plane restored_plane(plane.width, plane.height);
    for (std::size_t i = 0; i < restored_plane.samples.size(); ++i) restored_plane.samples[i] = grids.from[i].value;
    auto& times = result.regularisation.times_s;
    times.insert(times.end(), times_s.begin(), times_s.end());
    result.steps += step;
    return restored_plane;
}

/// Both phases of one plane; adds to the result.
void Restorer::restore_plane(const Plane& plane, Restored& result) {
    Detection found;
    result.detection.times_s.push_back(
        apps::seconds_of([&] { found = detect(plane, config_.regularisation.kind, config_.window); }));
    result.noisy += found.count;
    result.image.planes.push_back(found.count > 0 ? regularised(plane, found, result) : plane);
    result.median.planes.push_back(std::move(found.filtered));
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
