// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "share/status_page.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

namespace gimbal::pin {

namespace {

std::string prefix() {
    return "gimbal-pin." + std::to_string(geteuid()) + ".";
}

struct flock whole_file() {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

/// Whether the owner of a page lives.
bool owned(int file) {
    struct flock lock = whole_file();
    return fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool read_all(int file, void* to, std::size_t bytes) {
    auto* at = static_cast<char*>(to);
    for (std::size_t done = 0; done < bytes;) {
        const ssize_t got = pread(file, at + done, bytes - done, static_cast<off_t>(done));
        if (got <= 0) return false;
        done += static_cast<std::size_t>(got);
    }
    return true;
}

/// A page as it was at one moment. A writer takes microseconds, so a few tries are enough.
std::unique_ptr<StatusPage> snapshot(int file) {
    auto page = std::make_unique<StatusPage>();
    for (int attempt = 0; attempt < 5; ++attempt) {
        std::uint32_t after = 0;
        if (!read_all(file, page.get(), sizeof *page)) return nullptr;
        const std::uint32_t before = page->generation.load(std::memory_order_relaxed);
        if (pread(file, &after, sizeof after, offsetof(StatusPage, generation)) != sizeof after) return nullptr;
        if (page->magic != kShareMagic) return nullptr;
        if (before % 2 == 0 && before == after) {
            page->threads = std::min(page->threads, kMaxShared);
            return page;
        }
    }
    return nullptr;
}

}  // namespace

void set_pus(SharedThread& thread, std::span<const int> pus) noexcept {
    thread.count = static_cast<std::int32_t>(pus.size());
    std::size_t next = 0;
    for (PuRun& run : thread.runs) {
        run = {};
        if (next == pus.size()) continue;
        run.first = run.last = pus[next++];
        if (next < pus.size()) run.step = pus[next] - run.first;
        for (; next < pus.size() && pus[next] == run.last + run.step; ++next) run.last = pus[next];
    }
}

std::vector<int> pus_of(const SharedThread& thread) {
    constexpr std::int32_t kMaxCount = 1 << 16;
    const auto count = static_cast<std::size_t>(std::clamp(thread.count, 0, kMaxCount));
    std::vector<int> pus;
    for (const PuRun& run : thread.runs) {
        const std::int64_t step = std::max(run.step, 1);
        for (std::int64_t pu = run.first; pu <= run.last && pus.size() < count; pu += step)
            pus.push_back(static_cast<int>(pu));
    }
    return pus;
}

SharedStatusPage::SharedStatusPage(std::string folder) {
    // Without a name until it is locked: nobody can take it for a dead process's.
    file_ = beyond_standard_streams(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file_ < 0) {
        error_ = folder + ": " + std::strerror(errno);
        return;
    }
    identity_ = FileIdentity(file_);
    struct flock lock = whole_file();
    if (ftruncate(file_, sizeof(StatusPage)) != 0 || fcntl(file_, F_SETLK, &lock) != 0) {
        error_ = folder + ": " + std::strerror(errno);
        return;
    }
    // A write to a page that the file system has no room for would end the process.
    if (const int full = posix_fallocate(file_, 0, sizeof(StatusPage)); full == ENOSPC || full == EDQUOT) {
        error_ = folder + ": " + std::strerror(full);
        return;
    }
    void* const memory = mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) {
        error_ = folder + ": " + std::strerror(errno);
        return;
    }
    madvise(memory, sizeof(StatusPage), MADV_DONTFORK);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    // Processes of different containers may have the same number.
    std::string path = folder + "/" + prefix() + std::to_string(getpid()) + "." +
                       std::to_string(now.tv_sec * 1'000'000'000 + now.tv_nsec);
    page_ = new (memory) StatusPage;
    page_->pid = getpid();
    // Of this thread: that of a process whose main thread has ended is empty.
    const std::string from = "/proc/thread-self/fd/" + std::to_string(file_);
    if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        error_ = path + ": " + std::strerror(errno);
        return;
    }
    path_ = std::move(path);
}

SharedStatusPage::~SharedStatusPage() {
    if (!path_.empty()) unlink(path_.c_str());
    if (page_) munmap(page_, sizeof(StatusPage));
    // The program may have closed it, with the lock, and have a file of its own under that number.
    if (identity_.is(file_)) close(file_);
}

void SharedStatusPage::begin() noexcept {
    // The fences keep the content between the two generations; readers are other processes and use pread().
    if (page_) page_->generation.fetch_add(1, std::memory_order_seq_cst);
}

void SharedStatusPage::end() noexcept {
    if (page_) page_->generation.fetch_add(1, std::memory_order_seq_cst);
}

std::vector<std::unique_ptr<StatusPage>> other_pages(const std::string& own, const std::string& folder) {
    std::vector<std::unique_ptr<StatusPage>> pages;
    const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(folder.c_str()), closedir);
    if (!directory) return pages;
    const std::string start = prefix();
    while (const dirent* entry = readdir(directory.get())) {
        const std::string path = folder + "/" + entry->d_name;
        if (!std::string_view(entry->d_name).starts_with(start) || path == own) continue;
        const int file = beyond_standard_streams(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
        if (file < 0) continue;
        struct stat info {};
        const bool ours = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
        if (ours && !owned(file))
            unlink(path.c_str());
        else if (ours)
            if (auto page = snapshot(file)) pages.push_back(std::move(page));
        close(file);
    }
    return pages;
}

// The folder itself is locked: there is no file to make or to leave behind, and the kernel drops the lock with its
// owner.
StartupLock::StartupLock(const std::string& folder) noexcept
    : file_(beyond_standard_streams(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))) {
    constexpr int kTries = 1000;  // a busy machine lets the holder wait for a processor
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 1'000'000};
    for (int i = 0; i < kTries && file_ >= 0 && !mine_; ++i) {
        if (i > 0) nanosleep(&kPause, nullptr);
        mine_ = flock(file_, LOCK_EX | LOCK_NB) == 0;
    }
}

StartupLock::~StartupLock() {
    // A child of fork() may hold the same file: closing alone would not end it.
    if (mine_) flock(file_, LOCK_UN);
    if (file_ >= 0) close(file_);
}

std::map<int, double> load_of(const std::vector<std::unique_ptr<StatusPage>>& pages) {
    std::map<int, double> load;
    for (const auto& page : pages) {
        for (std::uint32_t i = 0; i < page->threads; ++i) {
            const std::vector<int> pus = pus_of(page->thread[i]);
            for (const int pu : pus) load[pu] += 1.0 / static_cast<double>(pus.size());
        }
    }
    return load;
}

}  // namespace gimbal::pin
