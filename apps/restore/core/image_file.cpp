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
#include <new>
#include <utility>
#include <vector>

namespace restore {

namespace {

constexpr const char* kAllowed = "allowed: 8-bit grey or RGB, as PNG, or binary PGM or PPM of maximum 255";
constexpr const char* kAllowedInStream = "allowed on standard input: binary PGM or PPM of maximum 255";
constexpr std::size_t kPngSignature = 8;
constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// What messages say of where an image comes from. A name alone is a file's.
struct Origin {
    Origin(std::string of, const char* there = kAllowed) : name(std::move(of)), allowed(there) {}
    std::string name;
    const char* allowed;
};

template <class Kind = ImageError, class... More>
[[noreturn]] void refuse(const Origin& origin, const std::string& what, More... more) {
    throw Kind(origin.name + ": " + what + "; " + origin.allowed, more...);
}

std::string size_text(std::uint64_t width, std::uint64_t height) {
    return std::to_string(width) + " x " + std::to_string(height) + " pixels";
}

/// What reads the samples of an image of that size. @errors ImageError, too, where there is not enough memory
template <class Work>
Image within_memory(const std::string& name, std::uint64_t width, std::uint64_t height, const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw ImageError(name + ": not enough memory for " + size_text(width, height));
    }
}

void require_size(const Origin& origin, std::uint64_t width, std::uint64_t height) {
    const std::string size = size_text(width, height);
    if (width == 0 || height == 0) refuse(origin, "an image without pixels (" + size + ")");
    if (width > kMaxSide || height > kMaxSide)
        refuse(origin, size + ", and at most " + std::to_string(kMaxSide) + " along a side are read");
}

/// In capitals, too, as cameras write it. @param end  in small letters
bool ends_with(const std::string& path, std::string_view end) {
    if (path.size() <= end.size()) return false;
    return std::equal(end.begin(), end.end(), path.end() - static_cast<std::ptrdiff_t>(end.size()),
                      [](char wanted, char found) { return wanted == gimbal::ascii_lower(found); });
}

/// Samples that lie together pixel by pixel, as files have them. @param pixels  [height * width * channels]
Image planes_of(const std::uint8_t* pixels, std::uint64_t width, std::uint64_t height, int channels) {
    Image image;
    for (int channel = 0; channel < channels; ++channel) {
        Plane plane(static_cast<std::int64_t>(width), static_cast<std::int64_t>(height));
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

/// libpng's state of one image that is read, released whatever happens.
struct PngReader {
    png_structp png;
    png_infop info;

    PngReader(const std::string& name, std::string_view& bytes)
        : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, const_cast<std::string*>(&name), fail, ignore)),
          info(png ? png_create_info_struct(png) : nullptr) {
        if (!info) {
            png_destroy_read_struct(&png, nullptr, nullptr);
            throw std::bad_alloc();
        }
        png_set_read_fn(png, &bytes, take);
    }
    ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

private:
    [[noreturn]] static void fail(png_structp png, png_const_charp what) {
        refuse(*static_cast<const std::string*>(png_get_error_ptr(png)),
               std::string("a truncated or broken PNG (") + what + ")");
    }
    static void ignore(png_structp /*png*/, png_const_charp /*what*/) {}
    static void take(png_structp png, png_bytep to, std::size_t count) {
        auto& bytes = *static_cast<std::string_view*>(png_get_io_ptr(png));
        if (bytes.size() < count) png_error(png, "it ends too early");
        std::copy_n(bytes.begin(), count, to);
        bytes.remove_prefix(count);
    }
};

/// The colours of pixels that are numbers of a palette. @param numbers  [height * width]   @return [height * width * 3]
std::vector<std::uint8_t> colours_of(const std::string& name, PngReader& reader,
                                     const std::vector<std::uint8_t>& numbers) {
    png_colorp palette = nullptr;
    int count = 0;
    png_get_PLTE(reader.png, reader.info, &palette, &count);
    const int greatest = *std::max_element(numbers.begin(), numbers.end());
    if (greatest >= count)
        refuse(name,
               "a broken PNG (colour " + std::to_string(greatest) + " of a palette of " + std::to_string(count) + ")");
    std::vector<std::uint8_t> pixels;
    pixels.reserve(3 * numbers.size());
    for (const std::uint8_t number : numbers) {
        const png_color& colour = palette[number];
        pixels.insert(pixels.end(), {colour.red, colour.green, colour.blue});
    }
    return pixels;
}

/// Samples are taken as they are: the noise was put in where these are the levels, whatever brightness they stand for.
Image read_png(const std::string& name, std::string_view bytes) {
    PngReader reader(name, bytes);
    png_read_info(reader.png, reader.info);
    const std::size_t width = png_get_image_width(reader.png, reader.info);
    const std::size_t height = png_get_image_height(reader.png, reader.info);
    require_size(name, width, height);
    const int type = png_get_color_type(reader.png, reader.info);
    if (png_get_bit_depth(reader.png, reader.info) == 16) refuse(name, "a PNG of 16 bits");
    if ((type & PNG_COLOR_MASK_ALPHA) || png_get_valid(reader.png, reader.info, PNG_INFO_tRNS))
        refuse(name, "a PNG with an alpha channel");
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_packing(reader.png);
    if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(reader.png);
    const std::size_t channels = type == PNG_COLOR_TYPE_RGB ? 3 : 1;
    return within_memory(name, width, height, [&] {
        std::vector<std::uint8_t> pixels(width * height * channels);
        std::vector<png_bytep> rows(height);
        for (std::size_t y = 0; y < height; ++y) rows[y] = pixels.data() + y * width * channels;
        png_read_image(reader.png, rows.data());
        png_read_end(reader.png, nullptr);
        if (type == PNG_COLOR_TYPE_PALETTE) pixels = colours_of(name, reader, pixels);
        return planes_of(pixels.data(), width, height, type == PNG_COLOR_TYPE_GRAY ? 1 : 3);
    });
}

/// The next number in the head of a PNM, after blanks and comments.
std::uint64_t take_number(std::string_view& text, const Origin& origin) {
    for (;;) {
        const std::size_t blank = text.find_first_not_of(kBlanks);
        text.remove_prefix(std::min(blank, text.size()));
        if (text.empty() || text.front() != '#') break;
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    }
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc::result_out_of_range && end == text.data() + text.size())
        refuse<TruncatedImage>(origin, "the head of the PGM or PPM is truncated");
    if (status != std::errc()) refuse(origin, "the head of the PGM or PPM is broken");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// The next image of several in a row; nothing at the end.
std::optional<Image> take_pnm_of(std::string_view& text, const Origin& origin) {
    if (text.empty()) return std::nullopt;
    const bool colour = text.starts_with("P6");
    if (text == "P") refuse<TruncatedImage>(origin, "the head of the PGM or PPM is truncated");
    if (!colour && !text.starts_with("P5")) refuse(origin, "this is no such image");
    const std::string_view whole = text;
    text.remove_prefix(2);
    const std::uint64_t width = take_number(text, origin);
    const std::uint64_t height = take_number(text, origin);
    require_size(origin, width, height);
    if (take_number(text, origin) != 255) refuse(origin, "the maximum is not 255");
    const int channels = colour ? 3 : 1;
    const std::uint64_t bytes = width * height * static_cast<std::uint64_t>(channels);
    if (text.size() < bytes + 1)  // one blank after the head
        refuse<TruncatedImage>(origin,
                               "truncated: " + std::to_string(text.empty() ? 0 : text.size() - 1) + " of " +
                                   std::to_string(bytes) + " bytes",
                               whole.size() - text.size() + 1 + bytes);
    text.remove_prefix(1);
    const auto* pixels = reinterpret_cast<const std::uint8_t*>(text.data());
    Image image = within_memory(origin.name, width, height, [&] { return planes_of(pixels, width, height, channels); });
    text.remove_prefix(bytes);
    return image;
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

/// libpng's state of one image that is written, released whatever happens.
struct PngWriter {
    png_image image{};
    PngWriter() { image.version = PNG_IMAGE_VERSION; }
    ~PngWriter() { png_image_free(&image); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;
};

std::string encode_png(const Image& image, const std::string& path) {
    PngWriter png;
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
    return take_pnm_of(text, {name, kAllowedInStream});
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
    Image image = *take_pnm_of(text, path);
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    if (text.starts_with("P5") || text.starts_with("P6"))
        throw ImageError(path + ": several images in one file; allowed: one, or several on standard input");
    return image;
}

void require_image_name(const std::string& path, const Image& image) {
    const bool colour = image.planes.size() == 3;
    const char* const own_end = colour ? ".ppm" : ".pgm";
    if (ends_with(path, ".png") || ends_with(path, own_end)) return;
    throw ImageError("cannot write " + path + ": a " + (colour ? "colour" : "grey") + " image goes to .png or " +
                     own_end);
}

std::string encode(const Image& image, const std::string& path) {
    require_image_name(path, image);
    return ends_with(path, ".png") ? encode_png(image, path) : encode_pnm(image);
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
