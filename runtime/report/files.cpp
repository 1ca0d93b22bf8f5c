// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/process_state.hpp"
#include "gimbal/options.hpp"
#include "gimbal/output_file.hpp"

namespace gimbal {

namespace {

std::string file_word(std::string text) {
    for (char& c : text)
        if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < 0x20) c = '_';
    return text;
}

/// What a placeholder stands for; false if there is no such one.
bool placeholder(char letter, const RunRecord& record, std::string& path) {
    switch (letter) {
        case 'j':
            path += file_word(record.job);
            return true;
        case 'r':
            path += std::to_string(record.rank);
            return true;
        case 'p':
            path += std::to_string(record.pid);
            return true;
        case 'h':
            path += file_word(record.host);
            return true;
        case '%':
            path += '%';
            return true;
        default:
            return false;
    }
}

bool is_device(std::string_view path) noexcept {
    return path.starts_with("/dev/") && !path.starts_with("/dev/shm/");
}

}  // namespace

std::string expand_pattern(std::string_view pattern, const RunRecord& record) {
    std::string path;
    bool tells_ranks_apart = false, tells_processes_apart = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] == '%' && i + 1 < pattern.size() && placeholder(pattern[i + 1], record, path)) {
            const char letter = pattern[i + 1];
            tells_ranks_apart |= letter == 'r' || letter == 'p';
            tells_processes_apart |= letter == 'p' || (letter == 'j' && record.job == std::to_string(record.pid));
            ++i;
        } else {
            path += pattern[i];
        }
    }
    if (is_device(path)) return path;
    std::string own;
    if (record.ranks > 1 && !tells_ranks_apart) own += "-" + std::to_string(record.rank);
    if (record.forked && !tells_processes_apart) own += "-" + std::to_string(record.pid);
    return before_extension(std::move(path), own);
}

std::string before_extension(std::string path, std::string_view text) {
    const std::size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
    const std::size_t dot = path.rfind('.');
    return path.insert(dot == std::string::npos || dot <= name ? path.size() : dot, text);
}

std::string unlike_others(const std::string& path, int process,
                          const std::function<bool(const std::string& path)>& is_free) {
    if (is_free(path)) return path;
    const std::string number = "-" + std::to_string(process);
    std::string own = before_extension(path, number);
    for (int program = 2; !is_free(own); ++program)
        own = before_extension(path, number + "-" + std::to_string(program));
    return own;
}

std::string own_path(std::string path) {
    if (options().run_dir.empty() || is_device(path) || is_stream(path)) return path;
    const std::string folder = from_start(options().run_dir);
    return unlike_others(path, getpid(), [&](const std::string& wanted) {
        const std::string taken = folder + "/taken-" + std::to_string(std::hash<std::string>{}(wanted));
        const int file = open(taken.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
        if (file >= 0) close(file);
        return file >= 0 || errno != EEXIST;
    });
}

std::string record_file_name(const RunRecord& record) {
    return "record-" + std::to_string(record.rank) + "-" + program_number(record.pid, record.started_s) + ".json";
}

void write_file_aside(const std::string& path, std::string_view text, Durable durable) {
    PartFile file(path);
    file.append(text);
    file.finish(durable);
}

}  // namespace gimbal
