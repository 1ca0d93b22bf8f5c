// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "frames.hpp"
#include "image_file.hpp"

#include <filesystem>
#include <system_error>

namespace restore {

namespace {

namespace fs = std::filesystem;

/// By their names, links followed, or since both are one on the disk.
bool same_file(const fs::path& a, const fs::path& b) {
    std::error_code error;
    const fs::path first = fs::weakly_canonical(fs::absolute(a, error), error);
    return first == fs::weakly_canonical(fs::absolute(b, error), error) || fs::equivalent(a, b, error);
}

/// Whether a file has the name of a frame in this folder.
bool is_frame(const std::string& file, const std::string& folder, const FrameSource& source) {
    const fs::path path(file);
    return source.has(path.filename().string()) &&
           same_file(path.has_parent_path() ? path.parent_path() : fs::path("."), folder);
}

std::string conflict(const std::string& option, const std::string& path, const std::string& other, bool read) {
    return option + ": \"" + path + "\" is also the file of " + other +
           (read ? ", and would replace it; name another file to write" : "; each needs a file of its own");
}

/// Of files that are read, the one that a single file to write would replace.
std::string replaced_by(const std::string& option, const std::string& path, const Options& options,
                        const FrameSource& source) {
    if (!source.stream() && (source.folder() ? is_frame(path, options.input, source) : same_file(path, options.input)))
        return conflict(option, path, source.folder() ? "a frame of the input" : "the input", true);
    if (!options.original.empty() && same_file(path, options.original))
        return conflict(option, path, "--original", true);
    return {};
}

std::string conflict_of(const Options& options, const FrameSource& source) {
    const std::string& output = options.output;
    const bool one_file = !output.empty() && output != "-" && !FrameSink::is_folder(output, source);
    const bool folder = FrameSink::is_folder(output, source);
    if (folder && source.folder() && same_file(output, options.input))
        return "--output: \"" + output + "\" is also the folder of the input, whose images would be replaced; " +
               "name another folder";
    if (folder && !options.original.empty() && is_frame(options.original, output, source))
        return conflict("--original", options.original, "a frame of --output", false);
    std::string found = one_file ? replaced_by("--output", output, options, source) : "";
    if (!found.empty() || options.picture.empty()) return found;
    found = replaced_by("--picture", options.picture, options, source);
    if (!found.empty()) return found;
    if (one_file && same_file(options.picture, output))
        return conflict("--picture", options.picture, "--output", false);
    if (folder && is_frame(options.picture, output, source))
        return conflict("--picture", options.picture, "a frame of --output", false);
    return {};
}

}  // namespace

std::string file_conflict(const Options& options) {
    try {
        return conflict_of(options, FrameSource(options.input, options.frames));
    } catch (const ImageError&) {
        return {};
    }
}

}  // namespace restore
