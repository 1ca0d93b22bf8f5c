// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "share/layout.hpp"

namespace gimbal::pin {

/// This process's page in shared memory: one file per process, written by its owner, read by everybody of the same
/// user. A record lock says that the owner lives: the kernel drops it when the process ends, however it ends, so no
/// lock is ever left behind and nothing has to be repaired. Whoever finds a page without its lock removes it.
/// @threads one at a time  @cost construction: tens of microseconds
/// @source ours; test: tests/pin/rooms_test.cpp
class Notice {
public:
    /// @param folder  where pages are; "/dev/shm" in earnest
    /// @errors none: without a page others do not see us (page() is nullptr, error() says why)
    explicit Notice(std::string folder = "/dev/shm");
    ~Notice();
    Notice(const Notice&) = delete;
    Notice& operator=(const Notice&) = delete;

    [[nodiscard]] SharedPage* page() noexcept { return page_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[nodiscard]] const std::string& error() const noexcept { return error_; }
    /// Between these two the page may be written.
    void begin() noexcept;
    void end() noexcept;
    /// A child after fork: the page is the parent's.
    void disown() noexcept;

private:
    std::string path_;
    std::string error_;
    SharedPage* page_ = nullptr;
    int file_ = -1;
};

/// The pages of all living processes of this user, but for the one at `own`. Pages of dead ones are removed.
/// @errors none: what cannot be read is left out  @threads any, but for the owner of `own` see Notice
/// @cost a directory, and for each page an open and a read
[[nodiscard]] std::vector<std::unique_ptr<SharedPage>> other_pages(const std::string& own = {},
                                                                   const std::string& folder = "/dev/shm");

/// While one lives, processes that choose processors for new threads and tell others do so one after the other: two
/// that begin at the same moment would both find the first processor free. Nobody waits longer than a second: whoever
/// holds it may have been stopped.
class Turn {
public:
    explicit Turn(const std::string& folder = "/dev/shm") noexcept;
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    int file_ = -1;
    bool mine_ = false;
};

/// How many threads of these processes are on each PU; a thread with k PUs counts 1/k on each.
[[nodiscard]] std::map<int, double> load_of(const std::vector<std::unique_ptr<SharedPage>>& pages);

}  // namespace gimbal::pin
