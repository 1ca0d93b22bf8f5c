// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gimbal/file_identity.hpp"

namespace gimbal::pin {

/// Processors with numbers at equal distances, both ends included: neighbours, or every second one.
struct PuRun {
    std::int32_t first = 0;
    std::int32_t last = -1;
    std::int32_t step = 1;
};

/// One thread, as other processes see it.
struct SharedThread {
    std::int32_t tid = 0;
    std::int32_t count = 0;   ///< PUs that it was given; 0: it runs wherever the operating system wants
    PuRun runs[4] = {};       ///< they, ascending: as many as four runs hold
    std::int32_t seen = -1;   ///< where it ran last; -1: not known
    std::uint32_t moves = 0;  ///< [count]
    float speed = 0;          ///< in the unit of the metric
    float cpu_share = 0;      ///< [0, 1]
    float wait_share = -1;    ///< [0, 1]; -1: not known
    char name[16] = {};
};

/// @param pus  ascending
void set_pus(SharedThread& thread, std::span<const int> pus) noexcept;
/// @return ascending; fewer than `count` if they lie in more runs than others see
[[nodiscard]] std::vector<int> pus_of(const SharedThread& thread);

inline constexpr std::uint32_t kShareMagic = 0x676d7033;  // "gmp3": another layout, another number
inline constexpr std::uint32_t kMaxShared = 1024;         ///< threads that others see

/// What one process says about itself. Written by its manager alone; a generation that is odd, or differs before and
/// after a reading, means that it was being written.
struct StatusPage {
    std::uint32_t magic = kShareMagic;
    std::atomic<std::uint32_t> generation = 0;
    std::int32_t pid = 0;
    std::int32_t rank = 0;
    std::uint32_t threads = 0;  ///< entries that are used
    std::uint64_t tick = 0;
    double period_s = 0;
    double objective = 0;      ///< in the unit of the metric
    double manager_share = 0;  ///< of one core, [0, 1]
    char mode[16] = {};
    char phase[16] = {};
    char metric[16] = {};
    char program[64] = {};
    SharedThread thread[kMaxShared];
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// This process's page in shared memory: one file per process, written by its owner, read by everybody of the same
/// user. A record lock says that the owner lives: the kernel drops it when the process ends, however it ends, so no
/// lock is ever left behind and nothing has to be repaired. A process that finds a page without its lock removes it.
/// @threads one at a time  @cost construction: tens of microseconds
/// @source ours; test: tests/pin/rooms_test.cpp
class SharedStatusPage {
public:
    /// @param folder  where pages are; "/dev/shm" in earnest
    /// @errors none: without a page others do not see us (page() is nullptr, error() says why)
    explicit SharedStatusPage(std::string folder = "/dev/shm");
    ~SharedStatusPage();
    SharedStatusPage(const SharedStatusPage&) = delete;
    SharedStatusPage& operator=(const SharedStatusPage&) = delete;

    [[nodiscard]] StatusPage* page() noexcept { return page_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// Between these two the page may be written.
    void begin() noexcept;
    void end() noexcept;

private:
    std::string path_;
    std::string error_;
    StatusPage* page_ = nullptr;
    int file_ = -1;
    FileIdentity identity_;
};

/// The pages of all living processes of this user, but for the one at `own`. Pages of dead ones are removed.
/// @errors none: what cannot be read is left out  @threads any, but for the owner of `own` see SharedStatusPage
/// @cost a directory, and for each page an open and a read
[[nodiscard]] std::vector<std::unique_ptr<StatusPage>> other_pages(const std::string& own = {},
                                                                   const std::string& folder = "/dev/shm");

/// While one lives, processes that choose processors for new threads and tell others do so one after the other: two
/// that begin at the same moment would both find the first processor free. Nobody waits longer than a second: a process
/// that holds it may have been stopped.
class StartupLock {
public:
    explicit StartupLock(const std::string& folder = "/dev/shm") noexcept;
    ~StartupLock();
    StartupLock(const StartupLock&) = delete;
    StartupLock& operator=(const StartupLock&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    int file_ = -1;
    bool mine_ = false;
};

/// How many threads of these processes are on each PU; a thread of which k PUs are seen counts 1/k on each.
[[nodiscard]] std::map<int, double> load_of(const std::vector<std::unique_ptr<StatusPage>>& pages);

}  // namespace gimbal::pin
