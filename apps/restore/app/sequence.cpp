// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program.hpp"

#include "common/clock.hpp"
#include "common/turns.h"
#include "frames.hpp"
#include "image_file.hpp"
#include "noise.hpp"

#include <algorithm>
#include <future>
#include <new>
#include <utility>
#include <vector>

namespace restore {

namespace {

/// A frame that is to be restored, and what it was before it was made noisy.
struct Frame {
    Image noisy;
    std::optional<Image> original;
};

/// Work on a frame. @errors ImageError, too, where there is not enough memory
template <class Work>
auto within_memory(const FrameSource& source, std::size_t frame, const Image& image, const Work& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw ImageError(source.origin(frame) + ": not enough memory to restore " + std::to_string(image.width()) +
                         " x " + std::to_string(image.height()) + " pixels");
    }
}

/// Gives frames in order; the next ones are read meanwhile.
class Reader {
public:
    Reader(FrameSource& source, const Options& options) : source_(source), options_(options) {
        if (!options.original.empty()) original_ = read_image(options.original);
        start();
    }

    /// Frames may come late from a stream, or never: an error elsewhere does not wait for them.
    ~Reader() { source_.stop(); }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    std::optional<Frame> next() {
        std::optional<Frame> frame = coming_.get();
        if (frame) start();
        return frame;
    }

    /// Whether another frame follows. Waits until it is read.
    bool more() {
        std::optional<Frame> frame = coming_.get();
        const bool follows = frame.has_value();
        coming_ = std::async(std::launch::deferred, [frame = std::move(frame)]() mutable { return std::move(frame); });
        return follows;
    }

private:
    void start() {
        coming_ = std::async(std::launch::async, [this, number = number_] { return read(number); });
        ++number_;
    }

    std::optional<Frame> read(std::uint64_t number) {
        std::optional<Image> image = source_.next();
        if (!image) return std::nullopt;
        if (options_.add_noise) {
            Frame frame{
                within_memory(source_, number, *image, [&] { return with_noise(*image, options_.noise, number); }),
                std::nullopt};
            frame.original = std::move(image);
            return frame;
        }
        if (original_ && (original_->planes.size() != image->planes.size() || original_->width() != image->width() ||
                          original_->height() != image->height()))
            throw ImageError(options_.original + ": the original has another size or other colours than the frame");
        return Frame{std::move(*image), original_};
    }

    FrameSource& source_;
    const Options& options_;
    std::optional<Image> original_;
    std::uint64_t number_ = 0;
    std::future<std::optional<Frame>> coming_;
};

void add(std::optional<Quality>& sum, const Quality& one) {
    if (!sum) sum = Quality{};
    sum->psnr_db += one.psnr_db;
    sum->ssim += one.ssim;
}

void divide(std::optional<Quality>& sum, std::size_t frames) {
    if (!sum) return;
    sum->psnr_db /= static_cast<double>(frames);
    sum->ssim /= static_cast<double>(frames);
}

void append(std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

/// Images of one size side by side.
Image beside(const std::vector<const Image*>& images) {
    Image row;
    const std::int64_t width = images.front()->width();
    for (std::size_t channel = 0; channel < images.front()->planes.size(); ++channel) {
        Plane plane(width * static_cast<std::int64_t>(images.size()), images.front()->height());
        for (std::size_t i = 0; i < images.size(); ++i) {
            const Plane& part = images[i]->planes[channel];
            for (std::int64_t y = 0; y < part.height; ++y)
                std::copy_n(part.row(y), width, plane.row(y) + static_cast<std::int64_t>(i) * width);
        }
        row.planes.push_back(std::move(plane));
    }
    return row;
}

/// @param timed  whether times are of use to anybody: a film has many steps
void count(Summary& summary, const Frame& frame, const Restored& result, bool timed) {
    if (summary.frames == 0) {
        summary.width = frame.noisy.width();
        summary.height = frame.noisy.height();
        summary.detection.name = result.detection.name;
        summary.regularisation.name = result.regularisation.name;
    }
    summary.one_size &= summary.width == frame.noisy.width() && summary.height == frame.noisy.height();
    (frame.noisy.planes.size() == 1 ? summary.grey : summary.colour) = true;
    summary.frames += 1;
    summary.noisy += result.noisy;
    for (const Plane& plane : frame.noisy.planes) summary.samples += plane.width * plane.height;
    summary.steps += result.steps;
    if (!result.device.empty()) summary.device = result.device;
    summary.checksum = summary.checksum * 31 + checksum(result.image);
    if (!timed) return;
    append(summary.detection.times_s, result.detection.times_s);
    append(summary.regularisation.times_s, result.regularisation.times_s);
}

void judge(Summary& summary, const Frame& frame, const Restored& result) {
    add(summary.damaged, quality(frame.noisy, *frame.original));
    add(summary.median, quality(result.median, *frame.original));
    add(summary.restored, quality(result.image, *frame.original));
}

/// Before a frame costs time: refuses names under which what comes of it cannot be written.
void require_names(const Options& options, const FrameSink& sink, const Image& image, std::size_t frame) {
    sink.require_name(image, frame);
    if (frame == 0 && !options.picture.empty()) require_image_name(options.picture, image);
}

}  // namespace

Summary restore_frames(const Options& options) {
    Summary summary;
    if (!options.picture.empty() && !has_image_name(options.picture))
        throw ImageError("cannot write " + options.picture + ": allowed: .png, .pgm, .ppm");
    FrameSource source(options.input, options.frames);
    FrameSink sink(options.output, source);
    Reader reader(source, options);
    Restorer restorer(options.config);
    std::future<void> written;
    const double begin_s = apps::wall_s();
    while (std::optional<Frame> frame = reader.next()) {
        if (summary.frames == 0 && sink.holds_one() && reader.more())
            throw ImageError("cannot write " + options.output +
                             ": there are several frames, and an image file holds one; allowed: a folder, or -o -");
        require_names(options, sink, frame->noisy, summary.frames);
        Restored result =
            within_memory(source, summary.frames, frame->noisy, [&] { return restorer.restored(frame->noisy); });
        if (frame->original && options.judge) judge(summary, *frame, result);
        if (!options.picture.empty() && summary.frames == 0) {
            std::vector<const Image*> images{&frame->noisy, &result.median, &result.image};
            if (frame->original) images.push_back(&*frame->original);
            write_image(beside(images), options.picture);
        }
        count(summary, *frame, result, options.output != "-");
        if (written.valid()) written.get();
        written = std::async(std::launch::async, [&, number = summary.frames - 1, image = std::move(result.image)] {
            within_memory(source, number, image, [&] { sink.put(image, number); });
        });
        end_of_step();
    }
    if (written.valid()) written.get();
    if (summary.frames == 0) throw ImageError(options.input + ": no frame");
    summary.total_s = apps::wall_s() - begin_s;
    divide(summary.damaged, summary.frames);
    divide(summary.median, summary.frames);
    divide(summary.restored, summary.frames);
    return summary;
}

}  // namespace restore
