// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_file.hpp"

#include <gimbal/output_file.hpp>
#include <gimbal/plain_text.hpp>

#include <png.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>

namespace restore {

namespace {

constexpr const char* kAllowed = "allowed: 8-bit grey or RGB, as PNG, or binary PGM or PPM of maximum 255";
constexpr std::size_t kPngSignature = 8;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

template <class Kind = ImageError>
[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw Kind(name + ": " + what + "; " + kAllowed);
}

void require_size(const std::string& name, std::uint64_t width, std::uint64_t height) {
    const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
    if (width == 0 || height == 0) refuse(name, "an image without pixels (" + size + ")");
    if (width > kMaxSide || height > kMaxSide)
        refuse(name, size + ", and at most " + std::to_string(kMaxSide) + " along a side are read");
}

/// In capitals, too, as cameras write it. @param end  in small letters
bool ends_with(const std::string& path, std::string_view end) {
    if (path.size() <= end.size()) return false;
    return std::equal(end.begin(), end.end(), path.end() - static_cast<std::ptrdiff_t>(end.size()),
                      [](char wanted, char found) { return wanted == gimbal::ascii_lower(found); });
}

/// Samples that lie together pixel by pixel, as files have them. @param pixels  [height * width * channels]
Image planes_of(const std::uint8_t* pixels, std::int64_t width, std::int64_t height, int channels) {
    Image image;
    for (int channel = 0; channel < channels; ++channel) {
        Plane plane(width, height);
        for (std::size_t i = 0; i < plane.samples.size(); ++i)
            plane.samples[i] = pixels[i * static_cast<std::size_t>(channels) + static_cast<std::size_t>(channel)];
        image.planes.push_back(std::move(plane));
    }
    return image;
}

/// The inverse. @return [height * width * channels]
std::string pixels_of(const Image& image) {
    const std::size_t channels = image.planes.size();
    std::string pixels(channels * image.planes.front().samples.size(), '\0');
    for (std::size_t channel = 0; channel < channels; ++channel) {
        const auto& samples = image.planes[channel].samples;
        for (std::size_t i = 0; i < samples.size(); ++i) pixels[i * channels + channel] = static_cast<char>(samples[i]);
    }
    return pixels;
}

/// libpng's state of one image, released whatever happens.
struct PngState {
    png_image image{};
    PngState() { image.version = PNG_IMAGE_VERSION; }
    ~PngState() { png_image_free(&image); }
    PngState(const PngState&) = delete;
    PngState& operator=(const PngState&) = delete;
};

/// An image of numbers that a palette has the colours for.
Image read_palette(const std::string& name, PngState& png) {
    png.image.format = PNG_FORMAT_RGB_COLORMAP;
    std::vector<std::uint8_t> numbers(PNG_IMAGE_SIZE(png.image));
    std::vector<std::uint8_t> palette(PNG_IMAGE_COLORMAP_SIZE(png.image));
    if (!png_image_finish_read(&png.image, nullptr, numbers.data(), 0, palette.data()))
        refuse(name, std::string("a truncated or broken PNG (") + png.image.message + ")");
    // libpng says nothing of numbers beyond the palette, and would make them black.
    const std::uint8_t greatest = *std::max_element(numbers.begin(), numbers.end());
    if (greatest >= png.image.colormap_entries)
        refuse(name, "a broken PNG (colour " + std::to_string(greatest) + " of a palette of " +
                         std::to_string(png.image.colormap_entries) + ")");
    std::vector<std::uint8_t> pixels;
    pixels.reserve(3 * numbers.size());
    for (const std::uint8_t number : numbers) {
        const auto colour = palette.begin() + 3 * number;
        pixels.insert(pixels.end(), colour, colour + 3);
    }
    return planes_of(pixels.data(), png.image.width, png.image.height, 3);
}

Image read_png(const std::string& name, std::string_view bytes) {
    PngState png;
    if (!png_image_begin_read_from_memory(&png.image, bytes.data(), bytes.size()))
        refuse(name, std::string("a broken PNG (") + png.image.message + ")");
    require_size(name, png.image.width, png.image.height);
    if (png.image.format & PNG_FORMAT_FLAG_LINEAR) refuse(name, "a PNG of 16 bits");
    if (png.image.format & PNG_FORMAT_FLAG_ALPHA) refuse(name, "a PNG with an alpha channel");
    if (png.image.format & PNG_FORMAT_FLAG_COLORMAP) return read_palette(name, png);
    const bool colour = png.image.format & PNG_FORMAT_FLAG_COLOR;
    png.image.format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png.image));
    if (!png_image_finish_read(&png.image, nullptr, pixels.data(), 0, nullptr))
        refuse(name, std::string("a truncated or broken PNG (") + png.image.message + ")");
    return planes_of(pixels.data(), png.image.width, png.image.height, colour ? 3 : 1);
}

/// The next number in the head of a PNM, after blanks and comments.
std::uint64_t take_number(std::string_view& text, const std::string& name) {
    for (;;) {
        const std::size_t blank = text.find_first_not_of(kBlanks);
        text.remove_prefix(std::min(blank, text.size()));
        if (text.empty() || text.front() != '#') break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc::result_out_of_range && end == text.data() + text.size())
        refuse<TruncatedImage>(name, "the head of the PGM or PPM is truncated");
    if (status != std::errc()) refuse(name, "the head of the PGM or PPM is broken");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::string read_bytes(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) throw ImageError("cannot read " + path + ": " + std::strerror(errno));
    std::string bytes;
    std::array<char, 1 << 16> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), file.get()))
        bytes.append(part.data(), count);
    if (std::ferror(file.get())) throw ImageError("cannot read " + path + ": " + std::strerror(errno));
    return bytes;
}

std::string encode_png(const Image& image, const std::string& path) {
    PngState png;
    png.image.width = static_cast<png_uint_32>(image.width());
    png.image.height = static_cast<png_uint_32>(image.height());
    png.image.format = image.planes.size() == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    const std::string pixels = pixels_of(image);
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(png.image);
    std::string encoded(bytes, '\0');
    if (!png_image_write_to_memory(&png.image, encoded.data(), &bytes, 0, pixels.data(), 0, nullptr))
        throw ImageError("cannot encode " + path + ": " + png.image.message);
    encoded.resize(bytes);
    return encoded;
}

}  // namespace

bool has_image_name(const std::string& path) {
    return ends_with(path, ".png") || ends_with(path, ".pgm") || ends_with(path, ".ppm");
}

std::optional<Image> take_pnm(std::string_view& text, const std::string& name) {
    if (text.empty()) return std::nullopt;
    const bool colour = text.starts_with("P6");
    if (text == "P") refuse<TruncatedImage>(name, "the head of the PGM or PPM is truncated");
    if (!colour && !text.starts_with("P5")) refuse(name, "this is no such image");
    text.remove_prefix(2);
    const std::uint64_t width = take_number(text, name);
    const std::uint64_t height = take_number(text, name);
    require_size(name, width, height);
    if (take_number(text, name) != 255) refuse(name, "the maximum is not 255");
    const int channels = colour ? 3 : 1;
    const std::uint64_t bytes = width * height * static_cast<std::uint64_t>(channels);
    if (text.size() < bytes + 1)  // one blank after the head
        refuse<TruncatedImage>(name, "truncated: " + std::to_string(text.empty() ? 0 : text.size() - 1) + " of " +
                                         std::to_string(bytes) + " bytes");
    text.remove_prefix(1);
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(text.data());
    Image image = planes_of(pixels, static_cast<std::int64_t>(width), static_cast<std::int64_t>(height), channels);
    text.remove_prefix(bytes);
    return image;
}

std::string encode_pnm(const Image& image) {
    return (image.planes.size() == 3 ? "P6\n" : "P5\n") + std::to_string(image.width()) + " " +
           std::to_string(image.height()) + "\n255\n" + pixels_of(image);
}

Image read_image(const std::string& path) {
    const std::string bytes = read_bytes(path);
    if (bytes.empty()) refuse(path, "the file is empty");
    if (bytes.size() >= 4 && bytes.compare(0, 4, "\x89PNG") == 0) {
        if (bytes.size() < kPngSignature) refuse(path, "a truncated PNG");
        return read_png(path, bytes);
    }
    std::string_view text = bytes;
    Image image = *take_pnm(text, path);
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.starts_with("P5") || text.starts_with("P6"))
        throw ImageError(path + ": several images in one file; allowed: one, or several on standard input");
    return image;
}

std::string encode(const Image& image, const std::string& path) {
    const bool colour = image.planes.size() == 3;
    if (ends_with(path, ".png")) return encode_png(image, path);
    if (ends_with(path, colour ? ".ppm" : ".pgm")) return encode_pnm(image);
    throw ImageError("cannot write " + path + ": a " + (colour ? "colour" : "grey") + " image goes to .png or " +
                     (colour ? ".ppm" : ".pgm"));
}

void write_image(const Image& image, const std::string& path) {
    const std::string bytes = encode(image, path);
    const std::string aside = path + ".part-" + std::to_string(getpid());
    gimbal::OutputFile file = gimbal::open_output(path, aside);
    if (file.descriptor < 0) throw ImageError("cannot write " + path + ": " + file.refusal);
    int error = gimbal::write_all(file.descriptor, bytes);
    if (close(file.descriptor) != 0 && error == 0) error = errno;
    if (error == 0 && !file.in_place && std::rename(aside.c_str(), path.c_str()) != 0) error = errno;
    if (error == 0) return;
    if (!file.in_place) unlink(aside.c_str());
    throw ImageError("cannot write " + path + ": " + std::strerror(error));
}

}  // namespace restore
