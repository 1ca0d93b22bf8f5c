// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cmath>

#include "experiment/application_parts.hpp"
#include "simulate/work.hpp"

namespace gimbal::simulate {

namespace {

constexpr int kMaxSteps = 10000;
constexpr double kStep_ns = 8;      // one z <- z^4 + c, scalar: a chain of two complex multiplications
constexpr double kPixel_ns = 20;    // besides
constexpr std::size_t kSide = 256;  // of the picture that is really computed
constexpr std::size_t kFrames = 24;

/// Steps of z <- z^4 + c until |z| > 2. An orbit that comes back to where it was stays: Brent's search for a cycle
/// tells so long before the last step, and no count depends on it but by rounding.
int escape_count(double c_re, double c_im) noexcept {
    constexpr double kSame = 1e-24;  // |difference|^2
    double re = 0;
    double im = 0;
    double old_re = 0;
    double old_im = 0;
    int next_mark = 8;
    for (int k = 0; k < kMaxSteps; ++k) {
        if (re * re + im * im > 4) return k;
        const double square_re = re * re - im * im;
        const double square_im = 2 * re * im;
        re = square_re * square_re - square_im * square_im + c_re;
        im = 2 * square_re * square_im + c_im;
        const double moved_re = re - old_re;
        const double moved_im = im - old_im;
        if (moved_re * moved_re + moved_im * moved_im < kSame) return kMaxSteps;
        if (k != next_mark) continue;
        next_mark *= 2;
        old_re = re;
        old_im = im;
    }
    return kMaxSteps;
}

/// A square of the plane about (0, centre), row by row from below, as apps/mandelbrot has it.
BinnedWork picture(double centre, double half_width, std::uint64_t iterations) {
    std::vector<double> costs(kSide * kSide);
    double sum = 0;
    const auto at = [](std::size_t pixel) { return (2 * static_cast<double>(pixel) + 1) / kSide - 1; };
    for (std::size_t row = 0; row < kSide; ++row) {
        for (std::size_t column = 0; column < kSide; ++column) {
            const int count = escape_count(half_width * at(column), centre + half_width * at(row));
            costs[row * kSide + column] = kPixel_ns + kStep_ns * count;
            sum += costs[row * kSide + column];
        }
    }
    BinnedWork work;
    work.assign(costs, iterations, sum * static_cast<double>(iterations) / static_cast<double>(costs.size()));
    return work;
}

/// L1: a window that stays, L2: one that moves from low imbalance to high, L3: L2 backwards; the windows of
/// apps/mandelbrot. Counts are computed on 256 x 256 points in 24 windows along the way; an iteration stands for a
/// point of the picture as large as the loop.
/// @source seed 000, section 5.2.2
class Mandelbrot final : public Application {
public:
    explicit Mandelbrot(const ApplicationRequest& request) {
        loops = {"L1", "L2", "L3"};
        settle(*this, request, {.workers = 200, .iterations = 1U << 20U, .steps = 1500});
        ranks = request.ranks == 0;
        Parameters(request).finish();
        constant_ = picture(0.75, 0.75, iterations);
        std::vector<BinnedWork> frames;
        std::vector<double> at;
        for (std::size_t k = 0; k < kFrames; ++k) {
            at.push_back(static_cast<double>(k) / (kFrames - 1));
            frames.push_back(picture(0.125 + 0.625 * at.back(), 0.5, iterations));
        }
        rising_ = KeyframedWork(std::move(frames), std::move(at));
    }

    [[nodiscard]] const Work& work(std::size_t loop, std::uint64_t step) override {
        if (loop == 0) return constant_;
        const double share = steps > 1 ? static_cast<double>(step) / static_cast<double>(steps - 1) : 1;
        rising_.move_to(loop == 1 ? share : 1 - share);
        return rising_;
    }

private:
    BinnedWork constant_;
    KeyframedWork rising_;
};

}  // namespace

std::unique_ptr<Application> make_mandelbrot(const ApplicationRequest& request) {
    return std::make_unique<Mandelbrot>(request);
}

}  // namespace gimbal::simulate
