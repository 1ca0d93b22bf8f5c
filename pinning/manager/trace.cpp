// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kBlock = 16384;

std::string number(double value) {
    if (value < 0) return {};
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

std::string seconds(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value);
    return text;
}

std::string csv(const TraceLine& line) {
    std::string text = seconds(line.time_s) + "," + std::to_string(line.tick) + "," + std::string(line.event) + ",";
    if (line.thread > 0)
        text += std::to_string(line.thread) + "," + std::to_string(line.tid);
    else
        text += ",";
    text +=
        ",\"" + pu_list_text(line.pus) + "\"," + (line.memory < 0 ? std::string() : std::to_string(line.memory)) + ",";
    text +=
        std::string(line.why) + "," + number(line.speed) + "," + number(line.objective) + "," + std::string(line.phase);
    return text + "\n";
}

std::string json(const TraceLine& line) {
    std::string text = "{\"time_s\":" + seconds(line.time_s) + ",\"tick\":" + std::to_string(line.tick) +
                       ",\"event\":\"" + std::string(line.event) + "\"";
    if (line.thread > 0) text += ",\"thread\":" + std::to_string(line.thread) + ",\"tid\":" + std::to_string(line.tid);
    if (!line.pus.empty()) text += ",\"pus\":\"" + pu_list_text(line.pus) + "\"";
    if (line.memory >= 0) text += ",\"memory\":" + std::to_string(line.memory);
    if (!line.why.empty()) text += ",\"why\":\"" + std::string(line.why) + "\"";
    if (line.speed >= 0) text += ",\"speed\":" + number(line.speed);
    if (line.objective >= 0) text += ",\"objective\":" + number(line.objective);
    if (!line.phase.empty()) text += ",\"phase\":\"" + std::string(line.phase) + "\"";
    return text + "}\n";
}

}  // namespace

Trace::Trace(std::string path) : path_(std::move(path)), json_(path_.ends_with(".json") || path_.ends_with(".jsonl")) {
    if (path_.empty()) return;
    file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0)
        problem_ = "GIMBAL_PIN_TRACE: \"" + path_ + "\" cannot be written: " + std::strerror(errno);
    else if (!json_)
        buffer_ = "time_s,tick,event,thread,tid,pus,memory,why,speed,objective,phase\n";
}

Trace::~Trace() {
    flush();
    if (file_ >= 0) close(file_);
}

void Trace::add(const TraceLine& line) {
    if (file_ < 0) return;
    buffer_ += json_ ? json(line) : csv(line);
    if (buffer_.size() >= kBlock) flush();
}

void Trace::flush() noexcept {
    for (std::size_t done = 0; file_ >= 0 && done < buffer_.size();) {
        const ssize_t written = write(file_, buffer_.data() + done, buffer_.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            const int reason = errno;
            close(std::exchange(file_, -1));
            try {
                problem_ = "GIMBAL_PIN_TRACE: \"" + path_ + "\" cannot be written: " + std::strerror(reason);
            } catch (...) {
                // Out of memory: then it is not said.
            }
            break;
        }
        done += static_cast<std::size_t>(written);
    }
    buffer_.clear();
}

}  // namespace gimbal::pin
