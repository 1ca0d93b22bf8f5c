// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.hpp"
#include "launch.hpp"
#include "report/run_record.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gimbal::tool {

/// A fresh folder in which the processes of one run leave their records; removed, with all in it, at the end.
class RunFolder {
public:
    /// Made under TMPDIR, or /tmp. Ranks on other machines need a TMPDIR that all of them see.
    /// @param shared  one that exists and collects for several tools (LaunchedJob); empty: none, make one
    /// @errors gimbal::Error(file)
    explicit RunFolder(const std::string& shared = {});
    ~RunFolder();
    RunFolder(const RunFolder&) = delete;
    RunFolder& operator=(const RunFolder&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

    /// Leave it to the others that share it.
    void keep() noexcept { kept_ = true; }

    /// A path to a library by which LD_PRELOAD can name it: the dynamic linker takes blanks and colons for separators.
    /// @return the path itself, or one through a link in this folder
    /// @errors gimbal::Error(file): this folder's own name has one, or no link can be made
    [[nodiscard]] std::string preloadable(const std::string& library) const;

    /// The records in it, by rank and process, loops named. Processes that ran no loop (shells, helpers) are left
    /// out if their rank has one that did.
    /// @param problems  out: one line per record that cannot be read
    [[nodiscard]] std::vector<RunRecord> records(std::vector<std::string>& problems) const;

    /// Why no record of usual size can be written into it now; empty: nothing is against it.
    [[nodiscard]] std::string refusal() const;

private:
    std::string path_;
    bool kept_ = false;
};

/// The same before there is a run, for a trial run of the dynamic linker.
/// @param folder  made if a link is needed, and to be kept until the trial is over
[[nodiscard]] std::string preloadable(const std::string& library, std::optional<RunFolder>& folder);

/// Say in records that their processes could not complete how these ended, as far as the tool can know: of the process
/// that it started itself for certain; of ranks, and of what a shell started, from how their launcher ended. Waits up
/// to a second for processes that outlive the launcher.
void explain_partial(const RunRequest& request, const ProgramEnd& end, std::vector<RunRecord>& records);

/// What is said above a report that could not wait for the program's end.
[[nodiscard]] std::string overdue_text(const RunRequest& request, const ProgramEnd& so_far);

}  // namespace gimbal::tool
