// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace restore {

/// An image that cannot be read or written; what() is one line that names the file, what is wrong and what is allowed.
struct ImageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// It may be sound as far as it goes, and ends too early.
struct TruncatedImage : ImageError {
    explicit TruncatedImage(const std::string& what, std::size_t bytes = 0) : ImageError(what), wanted(bytes) {}
    std::size_t wanted;  ///< bytes that it needs, from its first one on; 0: the head does not say so yet
};

constexpr std::int64_t kMaxSide = 32768;  ///< pixels along a side of an image that is read

/// Formats of files, by the end of their names, .PNG as .png.
bool has_image_name(const std::string& path);

/// Read an 8-bit image, grey or RGB: PNG, or binary PGM or PPM (P5, P6). The content says which.
/// @errors ImageError: no such file, truncated or broken, no pixels, alpha channel, 16 bits, more than kMaxSide, or
///         several images
Image read_image(const std::string& path);

/// Refuses a name under which such an image cannot be written: its end, .png, .pgm or .ppm, says the format.
/// @errors ImageError: another end, colours in a .pgm, or grey in a .ppm
void require_image_name(const std::string& path, const Image& image);

/// The bytes of an image file. @errors ImageError, as for require_image_name()
std::string encode(const Image& image, const std::string& path);

/// Write an image: the whole file or nothing. An older file of that name stays until the new one is complete.
/// @errors ImageError, as for encode(), and if the file cannot be written
void write_image(const Image& image, const std::string& path);

/// The next image of several binary PGM or PPM in a row, as ffmpeg's image2pipe writes them.
/// @param text  what is left; the image is taken from its front   @param name  of the stream, for messages
/// @return nothing at the end   @errors TruncatedImage; ImageError: more text would not help
std::optional<Image> take_pnm(std::string_view& text, const std::string& name);

/// Bytes of a binary PGM or PPM.
std::string encode_pnm(const Image& image);

}  // namespace restore
