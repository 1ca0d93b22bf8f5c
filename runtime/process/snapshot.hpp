// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace gimbal {

/// Records for a process that is killed: from its first loop on, the background thread writes what there is to say
/// every few seconds, marked partial, in the place where the record at exit goes and in turn replaces it. Nothing is
/// done where nobody asks for records.

/// From here on records are kept current. Only the shared object asks: a tool or a test has no record of its own.
/// @threads one, at load
void allow_snapshots() noexcept;

/// The thread is the parent's. @threads the only one of a new child
void restart_snapshots_in_child() noexcept;

}  // namespace gimbal
