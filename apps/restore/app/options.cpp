// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/program.hpp"
#include "common/stencil_device.hpp"
#include "detect.hpp"

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

namespace restore {

namespace {

constexpr double kGaussianAlpha = 0.01;
constexpr double kGaussianBeta = 0.5;
constexpr int kMaxDevice = 1000;
constexpr double kMaxVariance = 65025;
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int32_t>::max();

void check_noise(const CLI::App& app, const std::string& kind, Options& options) {
    apps::require(kind == "salt-pepper" || kind == "gaussian", "--noise", "must be salt-pepper or gaussian");
    const bool gaussian = kind == "gaussian";
    options.noise.kind = gaussian ? NoiseKind::gaussian : NoiseKind::salt_and_pepper;
    options.add_noise = app.count("--add") > 0;
    apps::require(options.noise.amount >= 0 && options.noise.amount <= (gaussian ? kMaxVariance : 100), "--add",
                  gaussian ? "must lie between 0 and 65025 (a variance)" : "must lie between 0 and 100 (percent)");
    for (const char* option : {"--patchy", "--seed"})
        apps::require(options.add_noise || app.count(option) == 0, option, "needs --add");
    apps::require(options.original.empty() || !options.add_noise, "--original", "with --add the input is the original");
}

void check_functional(const CLI::App& app, Config& config, NoiseKind kind) {
    Regularisation& settings = config.regularisation;
    settings.kind = kind;
    const bool gaussian = kind == NoiseKind::gaussian;
    if (gaussian && app.count("--alpha") == 0) settings.alpha = kGaussianAlpha;
    if (gaussian && app.count("--beta") == 0) settings.beta = kGaussianBeta;
    apps::require(gaussian ? settings.alpha > 0 && settings.alpha <= 100 : settings.alpha > 1 && settings.alpha <= 2,
                  "--alpha", gaussian ? "must lie in (0, 100]" : "must lie in (1, 2]");
    apps::require(settings.beta > 0 && settings.beta <= kMaxBeta, "--beta", "must lie in (0, 1000]");
    apps::require(config.bound >= 0 && config.bound <= 255, "--bound", "must lie between 0 and 255");
    const bool fixed = app.count("--device-part") > 0;
    apps::require(!fixed || config.device >= 0, "--device-part", "needs --device");
    apps::require(!fixed || (config.device_part >= 0 && config.device_part <= 1), "--device-part",
                  "must lie between 0 and 1");
    if (config.device >= 0 && !apps::kOffloads) {
        std::fputs("restore: runs on threads alone: it was built without a device; restore_device has one\n", stderr);
        config.device = -1;
    }
    apps::require(config.window % 2 == 1, "--window", "must be odd");
}

void add_input(CLI::App& app, Options& options, std::string& kind, std::int64_t& seed, std::int64_t& frames) {
    const CLI::Range count(std::int64_t{1}, kMaxCount);
    app.add_option("input", options.input,
                   "image (.png, .pgm, .ppm), folder of images, or -: PGM or PPM images on "
                   "standard input")
        ->required();
    app.add_option("-o,--output", options.output,
                   "image for one frame, folder for several, or -: PGM or PPM on standard output");
    app.add_option("--noise", kind, "salt-pepper or gaussian: what is to be removed")->capture_default_str();
    app.add_option("--add", options.noise.amount, "put noise into the input first: percent of the pixels, or variance");
    app.add_flag("--patchy", options.noise.patchy, "half of the patches get a twentieth of that noise");
    app.add_option("--seed", seed, "chooses the noise")
        ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
        ->capture_default_str();
    app.add_option("--frames", frames,
                   "one image is taken so many times, each time with other noise; not with a folder or -")
        ->check(count)
        ->capture_default_str();
    app.add_option("--original", options.original, "image without noise, for PSNR and SSIM");
    app.add_option("--picture", options.picture,
                   "image file: the first frame noisy, after the median, restored, and "
                   "the original");
}

void add_method(CLI::App& app, Config& config) {
    app.add_option("--alpha", config.regularisation.alpha,
                   "exponent of the regularisation; gaussian: its rounding, "
                   "default 0.01")
        ->capture_default_str();
    app.add_option("--beta", config.regularisation.beta, "weight of the neighbours; gaussian: default 0.5")
        ->capture_default_str();
    app.add_option("--window", config.window, "side of the largest window of the detection [pixels], odd")
        ->check(CLI::Range(kMinWindow, kMaxWindow))
        ->capture_default_str();
    app.add_option("--bound", config.bound, "steps end when noisy pixels move so much less than before, on average")
        ->capture_default_str();
    app.add_option("--max-steps", config.max_steps, "at most so many steps for each colour of a frame")
        ->check(CLI::Range(std::int64_t{1}, kMaxCount))
        ->capture_default_str();
    app.add_flag("!--all-pixels", config.active,
                 "compute every noisy pixel in every step, not only where neighbours "
                 "move; the image is the same");
    app.add_option("--device", config.device,
                   "number of an OpenMP device that takes part in the steps (needs a build "
                   "with offloading)")
        ->check(CLI::Range(0, kMaxDevice));
    app.add_option("--device-part", config.device_part,
                   "rows that the device runs, between 0 and 1, instead of "
                   "learning how many");
}

}  // namespace

Options parse_options(int argc, char** argv) {
    Options options;
    std::string kind = "salt-pepper";
    auto seed = static_cast<std::int64_t>(options.noise.seed);
    std::int64_t frames = 1;
    CLI::App app{
        "Restores noisy images in two phases: an adaptive median filter finds the noisy pixels, then steps of a\n"
        "variational method replace them. All loops are schedule(runtime): OMP_SCHEDULE chooses how they are shared "
        "out.",
        "restore"};
    add_input(app, options, kind, seed, frames);
    add_method(app, options.config);
    app.add_flag("!--no-quality", options.judge, "leave PSNR and SSIM out");
    app.add_flag("--json", options.json, "print the result as a last line of JSON");
    options.exit_code = apps::read_command_line(app, argc, argv, [&] {
        options.noise.seed = static_cast<std::uint64_t>(seed);
        options.frames = static_cast<std::size_t>(frames);
        std::error_code error;
        apps::require(frames == 1 || (options.input != "-" && !std::filesystem::is_directory(options.input, error)),
                      "--frames", "repeats one image; a folder and standard input have frames of their own");
        apps::require(!options.json || options.output != "-", "--json",
                      "has no place on standard output, where the frames go");
        check_noise(app, kind, options);
        check_functional(app, options.config, options.noise.kind);
    });
    return options;
}

}  // namespace restore
