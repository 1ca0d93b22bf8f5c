// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "noise.hpp"
#include "quality.hpp"
#include "restoration.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace restore {

/// What the user asked for.
struct Options {
    std::string input;     ///< image, folder of images, or "-"
    std::string output;    ///< image for one frame, folder for several, or "-"; empty: nothing is written
    std::string original;  ///< image to compare with; empty: none
    std::string picture;   ///< file for the first frame side by side; empty: none
    bool add_noise = false;
    Noise noise;
    Config config;
    std::size_t frames = 1;
    bool judge = true;
    bool json = false;
    std::optional<int> exit_code;  ///< nothing is to be run: the command line was answered, or is wrong
};

/// Prints help to stdout, and what is wrong with the command line as one line to stderr.
Options parse_options(int argc, char** argv);

/// Two files of the options that are one, of which the later would replace the earlier, or what is read.
/// @return what is wrong, one line; empty: nothing   @errors none: what cannot be read is left to the run
std::string file_conflict(const Options& options);

/// What became of all frames.
struct Summary {
    std::size_t frames = 0;
    std::int64_t width = 0;   ///< of the first frame
    std::int64_t height = 0;  ///< of the first frame
    bool one_size = true;     ///< of all frames
    bool grey = false;        ///< there are frames in grey
    bool colour = false;      ///< there are frames in colour
    std::int64_t noisy = 0;   ///< pixels
    std::int64_t samples = 0;
    std::int64_t steps = 0;      ///< of the second phase
    std::uint64_t checksum = 0;  ///< of the restored frames
    std::string device;          ///< what a device did in frames of the last noisy one's size; empty if there was none
    apps::LoopTimes detection;
    apps::LoopTimes regularisation;
    std::optional<Quality> damaged;   ///< of the noisy frames, mean; where the original is known
    std::optional<Quality> median;    ///< after the first phase, mean
    std::optional<Quality> restored;  ///< mean
    double total_s = 0;               ///< wall time of everything, reading and writing included
};

/// Reads, restores and writes frame after frame; while one is restored the next one is read and made noisy, and the one
/// before is written.
/// @errors ImageError, the first that is met; frames before it are written whole   @threads two besides the team
Summary restore_frames(const Options& options);

}  // namespace restore
