// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace restore {

/// Where frames come from: one image file, a folder of them in the order of their names, or "-": PGM or PPM images one
/// after the other on standard input.
class FrameSource {
public:
    /// @param repeat  one image file gives so many frames
    /// @errors ImageError: no such file or folder, a folder without images
    explicit FrameSource(const std::string& path, std::size_t repeat = 1);
    ~FrameSource();
    FrameSource(const FrameSource&) = delete;
    FrameSource& operator=(const FrameSource&) = delete;

    /// @return nothing at the end   @errors ImageError naming the frame   @threads one at a time
    std::optional<Image> next();

    /// No frame is wanted any more: a next() that waits for standard input returns nothing. @threads any
    void stop() noexcept;

    bool folder() const { return folder_; }
    bool stream() const { return stream_; }
    /// Whether there may be more than one frame.
    bool several() const { return folder_ || stream_ || repeat_ > 1; }
    /// File name of a frame in a folder: that of the image, with the number of the frame where the image has several
    /// (photo-00.png), or frame-000000.png of a stream. @param frame  counts from 0
    std::string name(std::size_t frame) const;
    /// Where a frame is read, for messages.
    std::string origin(std::size_t frame) const;
    /// Whether a frame has this file name.
    bool has(const std::string& name) const;

private:
    std::optional<Image> next_of_stream();
    /// Those that follow a frame: a stream may end in a line feed, and frames may have one between them.
    void pass_blanks();

    std::string path_;
    bool folder_ = false;
    bool stream_ = false;
    std::vector<std::string> names_;  // of a folder, sorted
    std::size_t repeat_ = 1;
    std::size_t at_ = 0;
    int stop_ = -1;     // of a stream: an event that ends waiting
    std::string read_;  // of the stream, not used yet
};

/// Where frames go: an image file for one, a folder (under the source's names), or "-": PGM or PPM on standard output.
/// Nothing is half written: a frame's file is whole or absent.
class FrameSink {
public:
    /// @param path  empty: frames go nowhere   @errors ImageError: a folder's frames need a folder, which is made
    FrameSink(std::string path, const FrameSource& source);
    /// A folder that was made and got no frame goes again.
    ~FrameSink();
    FrameSink(const FrameSink&) = delete;
    FrameSink& operator=(const FrameSink&) = delete;

    /// Whether frames go to a folder of this name. One that is not there is made of a folder's frames, and of others
    /// where its name has no end (.png, .jpg): that says that one image was expected.
    static bool is_folder(const std::string& path, const FrameSource& source);

    /// Whether there is room for one frame only: an image file.
    bool holds_one() const { return !path_.empty() && path_ != "-" && !folder_; }

    /// Refuses a frame whose file has no name for such an image.
    /// @param frame  counts from 0   @errors ImageError
    void require_name(const Image& image, std::size_t frame) const;

    /// @param frame  counts from 0   @errors ImageError   @threads one at a time, in the order of frames
    void put(const Image& image, std::size_t frame);

private:
    std::string file(std::size_t frame) const;

    std::string path_;
    const FrameSource& source_;
    bool folder_ = false;
    bool made_ = false;  // the folder, and nothing is in it yet
};

}  // namespace restore
