// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frames.hpp"

#include "image_file.hpp"

#include <gimbal/output_file.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>

namespace restore {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStream = "standard input";
constexpr std::size_t kMaxHead = 1 << 20;       // bytes before a frame's pixels, comments among them
constexpr const char* kBlanks = " \t\r\n\v\f";  // between frames

std::vector<std::string> images_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (has_image_name(name)) names.push_back(name);
    }
    if (error) throw ImageError("cannot read the folder " + folder + ": " + error.message());
    if (names.empty()) throw ImageError(folder + ": no images in this folder; allowed: .png, .pgm, .ppm");
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

FrameSource::FrameSource(const std::string& path, std::size_t repeat) : path_(path), repeat_(repeat) {
    std::error_code error;
    stream_ = path == "-";
    if (stream_) stop_ = gimbal::beyond_standard_streams(eventfd(0, EFD_CLOEXEC));
    folder_ = !stream_ && fs::is_directory(path, error);
    if (folder_) names_ = images_in(path);
}

FrameSource::~FrameSource() {
    if (stop_ >= 0) close(stop_);
}

void FrameSource::stop() noexcept {
    if (stop_ >= 0) eventfd_write(stop_, 1);
}

std::string FrameSource::name(std::size_t frame) const {
    if (folder_) return names_.at(frame);
    constexpr std::size_t kStreamDigits = 6;  // of a number that is not known before
    std::string number = std::to_string(frame);
    const std::size_t digits = stream_ ? kStreamDigits : std::to_string(repeat_ - 1).size();
    if (number.size() < digits) number.insert(0, digits - number.size(), '0');
    if (stream_) return "frame-" + number + ".png";
    const fs::path image(path_);
    return image.stem().string() + "-" + number + (has_image_name(path_) ? image.extension().string() : ".png");
}

std::string FrameSource::origin(std::size_t frame) const {
    if (stream_) return std::string(kStream) + ", frame " + std::to_string(frame);
    return folder_ ? (fs::path(path_) / names_.at(frame)).string() : path_;
}

bool FrameSource::has(const std::string& name) const {
    if (folder_) return std::binary_search(names_.begin(), names_.end(), name);
    const std::size_t dash = name.rfind('-');
    if (dash == std::string::npos) return false;
    std::size_t frame = 0;
    const char* const begin = name.data() + dash + 1;
    if (std::from_chars(begin, name.data() + name.size(), frame).ec != std::errc{}) return false;
    return (stream_ || frame < repeat_) && name == this->name(frame);
}

std::optional<Image> FrameSource::next() {
    if (stream_) return next_of_stream();
    if (at_ == (folder_ ? names_.size() : repeat_)) return std::nullopt;
    const std::size_t frame = at_++;
    return read_image(origin(frame));
}

void FrameSource::pass_blanks() {
    if (at_ > 0) read_.erase(0, std::min(read_.find_first_not_of(kBlanks), read_.size()));
}

std::optional<Image> FrameSource::next_of_stream() {
    // The head of a frame says how much it needs. No more is waited for: who sends frames may wait for their answers.
    std::size_t wanted = 1;
    bool ended = false;
    for (;;) {
        std::array<char, 1 << 16> part{};
        while (!ended && read_.size() < wanted) {
            std::array<pollfd, 2> asked{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
            if (::poll(asked.data(), asked.size(), -1) < 0 && errno == EINTR) continue;
            if (asked[1].revents != 0) return std::nullopt;
            const ssize_t count = ::read(STDIN_FILENO, part.data(), part.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) throw ImageError(std::string("cannot read ") + kStream + ": " + std::strerror(errno));
            ended = count == 0;
            try {
                read_.append(part.data(), static_cast<std::size_t>(count));
            } catch (const std::bad_alloc&) {
                throw ImageError(origin(at_) + ": not enough memory for " + std::to_string(wanted) + " bytes");
            }
            pass_blanks();
        }
        try {
            std::string_view text = read_;
            std::optional<Image> image = take_pnm(text, origin(at_));
            read_.erase(0, read_.size() - text.size());
            if (image) ++at_;
            pass_blanks();
            return image;
        } catch (const TruncatedImage& image) {
            if (ended || (image.wanted == 0 && read_.size() > kMaxHead)) throw;
            wanted = image.wanted > 0 ? image.wanted : read_.size() + 1;
        }
    }
}

bool FrameSink::is_folder(const std::string& path, const FrameSource& source) {
    std::error_code error;
    if (path.empty() || path == "-" || !source.several()) return false;
    return source.folder() || fs::is_directory(path, error) || !fs::path(path).has_extension();
}

FrameSink::FrameSink(std::string path, const FrameSource& source)
    : path_(std::move(path)), source_(source), folder_(is_folder(path_, source)) {
    if (path_.empty() || path_ == "-") return;
    if (!folder_) {
        if (has_image_name(path_)) return;
        throw ImageError("cannot write " + path_ + ": allowed: .png, .pgm, .ppm" +
                         (source.several() ? ", or a folder for several frames" : ""));
    }
    std::error_code error;
    // A name like x.pgm says that one image was expected.
    if (!has_image_name(path_)) made_ = fs::create_directories(path_, error);
    if (!fs::is_directory(path_)) throw ImageError("cannot write to " + path_ + ": several frames need a folder");
}

FrameSink::~FrameSink() {
    std::error_code error;
    if (made_) fs::remove(path_, error);
}

std::string FrameSink::file(std::size_t frame) const {
    return folder_ ? (fs::path(path_) / source_.name(frame)).string() : path_;
}

void FrameSink::require_name(const Image& image, std::size_t frame) const {
    if (!path_.empty() && path_ != "-") require_image_name(file(frame), image);
}

void FrameSink::put(const Image& image, std::size_t frame) {
    if (path_.empty()) return;
    if (path_ == "-") {
        if (const int error = gimbal::write_all(STDOUT_FILENO, encode_pnm(image)); error != 0)
            throw ImageError(std::string("cannot write to standard output: ") + std::strerror(error));
        return;
    }
    write_image(image, file(frame));
    made_ = false;
}

}  // namespace restore
