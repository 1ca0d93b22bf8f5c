// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <vector>

#include "base/part_file.hpp"
#include "base/spelling.hpp"
#include "gimbal/error.hpp"
#include "gimbal/file_identity.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
constexpr std::size_t kMaxFiles = 4096;
constexpr std::size_t kMaxEntries = 65536;  // of a folder that are looked at
constexpr std::string_view kEnding = ".kept";
constexpr std::string_view kPart = ".part-";    // behind it, of a file that is not complete (base/part_file.hpp)
constexpr time_t kPartForgotten_s = 24 * 3600;  // a part that nobody has written to for so long is nobody's any more

/// An open file or folder.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(beyond_standard_streams(number)) {}
    ~Descriptor() {
        if (number_ >= 0) close(number_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const noexcept { return number_; }
    [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }

private:
    int number_;
};

Descriptor open_folder(const std::string& path) noexcept {
    return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

bool is_local(int file) noexcept {
    struct statfs system {};
    return fstatfs(file, &system) == 0 && is_local_file_system(static_cast<std::uint32_t>(system.f_type));
}

bool usable(const KeptFolder& folder, const Descriptor& opened) noexcept {
    return opened && (folder.named || is_local(opened.number()));
}

/// Nobody else can have written it.
bool is_own(const struct stat& file) noexcept {
    return S_ISREG(file.st_mode) && file.st_uid == geteuid() && (file.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_kept_name(std::string_view name) noexcept {
    constexpr std::size_t kDigits = 16;
    if (name.size() < kDigits + 2 + kEnding.size() || name[kDigits] != '-' || !name.ends_with(kEnding)) return false;
    const std::string_view run = name.substr(0, kDigits);
    const std::string_view workers = name.substr(kDigits + 1, name.size() - kDigits - 1 - kEnding.size());
    return run.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           workers.find_first_not_of("0123456789") == std::string_view::npos;
}

/// With the folders around it, but of a place that the user named the folder alone: the name may be misspelt. Another
/// process may make the same ones at this moment.
void make_folder(const KeptFolder& folder) noexcept {
    const std::string& path = folder.path;
    if (mkdir(path.c_str(), S_IRWXU) == 0 || errno != ENOENT || folder.named) return;
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
        mkdir(path.substr(0, slash).c_str(), S_IRWXU);
    mkdir(path.c_str(), S_IRWXU);
}

struct Found {
    std::string name;
    std::size_t size = 0;
    timespec changed{};
    [[nodiscard]] bool is_part() const noexcept { return !name.ends_with(kEnding); }
};

std::vector<Found> files_of(int folder) {
    std::vector<Found> files;
    const int copy = fcntl(folder, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    DIR* const list = copy >= 0 ? fdopendir(copy) : nullptr;
    if (!list && copy >= 0) close(copy);
    for (std::size_t k = 0; list && k < kMaxEntries; ++k) {
        const dirent* const entry = readdir(list);
        if (!entry) break;
        struct stat file {};
        const std::string_view name = entry->d_name;
        if (!is_kept_name(name.substr(0, name.find(kPart)))) continue;
        if (fstatat(folder, entry->d_name, &file, AT_SYMLINK_NOFOLLOW) != 0 || !is_own(file)) continue;
        files.push_back({entry->d_name, static_cast<std::size_t>(file.st_size), file.st_mtim});
    }
    if (list) closedir(list);
    return files;
}

/// Parts stay as long as a process may be writing them; one that was killed has left its own.
/// @param keep  this one stays
void prune(int folder, const std::string& keep) {
    std::vector<Found> files = files_of(folder);
    const time_t now_s = std::time(nullptr);
    std::erase_if(files, [&](const Found& file) {
        if (file.is_part() && now_s - file.changed.tv_sec > kPartForgotten_s) unlinkat(folder, file.name.c_str(), 0);
        return file.is_part();
    });
    std::size_t bytes = 0, count = files.size();
    for (const Found& file : files) bytes += file.size;
    if (bytes <= kMaxBytes && count <= kMaxFiles) return;
    std::sort(files.begin(), files.end(), [](const Found& a, const Found& b) {
        return a.changed.tv_sec != b.changed.tv_sec ? a.changed.tv_sec < b.changed.tv_sec
                                                    : a.changed.tv_nsec < b.changed.tv_nsec;
    });
    for (const Found& file : files) {
        if (bytes <= kMaxBytes && count <= kMaxFiles) return;
        if (file.name == keep || unlinkat(folder, file.name.c_str(), 0) != 0) continue;
        bytes -= file.size;
        --count;
    }
}

}  // namespace

bool is_local_file_system(std::uint32_t type) noexcept {
    constexpr std::array<std::uint32_t, 12> kLocal = {EXT4_SUPER_MAGIC /* and ext2, ext3 */,
                                                      XFS_SUPER_MAGIC,
                                                      BTRFS_SUPER_MAGIC,
                                                      TMPFS_MAGIC,
                                                      RAMFS_MAGIC,
                                                      F2FS_SUPER_MAGIC,
                                                      OVERLAYFS_SUPER_MAGIC,
                                                      REISERFS_SUPER_MAGIC,
                                                      0x2FC12FC1 /* ZFS */,
                                                      0x3153464A /* JFS */,
                                                      0xCA451A4E /* bcachefs */,
                                                      0x3434 /* NILFS */};
    return std::find(kLocal.begin(), kLocal.end(), type) != kLocal.end();
}

KeptFolder kept_folder(std::string_view asked, std::string_view xdg, std::string_view home) {
    if (to_lower(asked) == "off") return {};
    if (!asked.empty()) return {std::string(asked), true};
    // A relative path there is to be ignored, says the XDG Base Directory Specification.
    if (xdg.starts_with('/')) return {std::string(xdg) + "/gimbal"};
    if (home.starts_with('/')) return {std::string(home) + "/.cache/gimbal"};
    return {};
}

std::string kept_name(std::uint64_t run, std::uint32_t workers) {
    std::string name(16, '0');
    for (std::size_t k = name.size(); k-- > 0; run /= 16) name[k] = "0123456789abcdef"[run % 16];
    return name + "-" + std::to_string(workers) + std::string(kEnding);
}

std::string read_kept(const KeptFolder& folder, const std::string& name, std::size_t most) {
    const Descriptor opened = open_folder(folder.path);
    if (!usable(folder, opened)) return {};
    // Nobody is waited for: it may be a pipe.
    const Descriptor file(
        openat(opened.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat found {};
    if (!file || fstat(file.number(), &found) != 0 || !is_own(found)) return {};
    if (found.st_size <= 0 || static_cast<std::size_t>(found.st_size) > most) return {};
    std::string text(static_cast<std::size_t>(found.st_size), '\0');
    const ssize_t got = pread(file.number(), text.data(), text.size(), 0);
    // A file that shrinks meanwhile is half of one.
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
}

bool write_kept(const KeptFolder& folder, const std::string& name, std::string_view text) {
    make_folder(folder);
    const Descriptor opened = open_folder(folder.path);
    if (!usable(folder, opened)) return false;
    const bool is_new = faccessat(opened.number(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    try {
        PartFile file(folder.path + "/" + name, S_IRUSR | S_IWUSR);
        file.append(text);
        // Not flushed to the device: who reads it notices a file that a crash of the machine has damaged.
        file.finish(Durable::no);
    } catch (const Error&) {
        return false;
    }
    if (is_new) prune(opened.number(), name);
    return true;
}

}  // namespace gimbal
