// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "manager/trace.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "gimbal/output_file.hpp"
#include "gimbal/plain_text.hpp"
#include "machine/pu_list.hpp"

namespace gimbal::pin {

namespace {

constexpr std::size_t kBlock = 16384;

std::string number(double value) {
    return value < 0 ? std::string() : significant_digits(value, 6);
}

std::string seconds(double value) {
    return fixed_digits(value, 3);
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
    OutputFile opened = open_output(path_);
    file_ = opened.descriptor;
    identity_ = FileIdentity(file_);
    if (file_ < 0)
        problem_ = "GIMBAL_PIN_TRACE: \"" + path_ + "\" cannot be written: " + opened.refusal;
    else if (!json_)
        buffer_ = "time_s,tick,event,thread,tid,pus,memory,why,speed,objective,phase\n";
}

Trace::~Trace() {
    flush();
    if (identity_.is(file_)) close(file_);
}

void Trace::add(const TraceLine& line) {
    if (file_ < 0) return;
    buffer_ += json_ ? json(line) : csv(line);
    if (buffer_.size() >= kBlock) flush();
}

void Trace::flush() noexcept {
    if (file_ < 0) return;
    const bool ours = identity_.is(file_);
    const int reason = ours ? write_all(file_, buffer_) : EBADF;
    buffer_.clear();
    if (reason == 0) return;
    if (ours) close(file_);
    file_ = -1;
    try {
        problem_ = "GIMBAL_PIN_TRACE: \"" + path_ + "\" cannot be written: " + std::strerror(reason);
    } catch (...) {
        // Out of memory: then it is not said.
    }
}

}  // namespace gimbal::pin
