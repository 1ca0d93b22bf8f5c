// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "common/loop_report.hpp"
#include "detect.hpp"
#include "functional.hpp"
#include "image.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace restore {

/// How images are restored.
struct Config {
    Regularisation regularisation;
    int window = 39;      ///< largest window of the detection [pixels], odd
    double bound = 0.01;  ///< steps end when the mean over noisy pixels of |moved - moved before| is below it
    std::int64_t max_steps = 1000;
    bool active = true;       ///< work only where neighbours still move; the image is the same without
    int device = -1;          ///< number of a device that takes part in the steps; < 0: threads alone
    double device_part = -1;  ///< rows that it runs, in [0, 1], for comparison; < 0: learnt
};

/// What became of an image, and how long it took.
struct Restored {
    Image image;
    Image median;                    ///< after the first phase alone
    std::int64_t noisy = 0;          ///< pixels, over all planes
    std::int64_t steps = 0;          ///< of the second phase, over all planes that have noisy pixels
    std::string device;              ///< what a device did so far in images of this size; empty if there was none, or
                                     ///< no step
    apps::LoopTimes detection;       ///< [planes]
    apps::LoopTimes regularisation;  ///< [steps]
};

/// Restores images one after the other. What a device is found to be like, and its memory, stay from plane to plane and
/// from image to image of one size.
/// @threads one at a time
class Restorer {
public:
    explicit Restorer(const Config& config);
    ~Restorer();
    Restorer(const Restorer&) = delete;
    Restorer& operator=(const Restorer&) = delete;

    /// Both phases, plane by plane. The image is bitwise the same for every schedule, number of threads and split.
    /// @pre at least one pixel   @errors std::bad_alloc   @threads forks teams
    /// @source Chan, Ho, Nikolova 2005; test: tests/unit/restore/restoration_test.cpp
    [[nodiscard]] Restored restored(const Image& noisy);

private:
    struct OnDevice;

    void restore_plane(const Plane& plane, Restored& result);
    Plane regularised(const Plane& plane, const Detection& found, Restored& result);

    Config config_;
    Slopes slopes_;
    std::unique_ptr<OnDevice> on_device_;
};

/// The same for one image.
[[nodiscard]] Restored restored(const Image& noisy, const Config& config);

}  // namespace restore
