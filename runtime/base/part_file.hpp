// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gimbal/file_identity.hpp"

namespace gimbal {

/// A whole file as text.
/// @param limit  largest size [bytes]
/// @errors gimbal::Error(file) naming the path and the reason
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit);

/// Whether what is written shall outlive the machine's sudden end.
enum class Durable : bool { no, yes };

/// A file that is written piece by piece and whose name never shows half of it: it grows beside its place, as
/// "<path>.part-<program_number()>", and is renamed when it is complete. Without finish() nothing is left; a process
/// that is killed, or becomes another program by exec(), leaves the part. Where the program has closed its descriptor
/// it is opened again.
/// @threads guarded by its owner; a signal for a file that is too large (SIGXFSZ) or a closed pipe becomes the error
class PartFile {
public:
    /// @param path  where it shall be; an old file or symbolic link of that name is replaced, a device or a pipe is
    ///              written to (gimbal/output_file.hpp)
    /// @param mode  permissions of a new file, less what the process's mask takes away
    /// @errors gimbal::Error(file) naming path and reason, as for the others
    explicit PartFile(std::string path, unsigned mode = 0666);
    ~PartFile();
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;

    /// @errors as above; the file is then given up
    void append(std::string_view text);
    /// Flush to the device, if durable, and give it its name; nothing can be appended any more. @cost one fsync
    void finish(Durable durable = Durable::yes);
    /// Leave it to the process that fork() was called in: it is not this one's to give up.
    /// @threads the only one of a new child
    void disown() noexcept;

private:
    void let_go() noexcept;
    void give_up() noexcept;
    void need_file();
    [[noreturn]] void fail(int reason);
    [[noreturn]] void fail(const std::string& reason);

    std::string path_;
    std::string aside_;  // empty: a device or a pipe, or nothing is left to be done
    int file_ = -1;
    FileIdentity identity_;
};

}  // namespace gimbal
