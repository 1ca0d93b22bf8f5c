// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace gimbal {

/// What host_name() says where the machine's name cannot be had.
inline constexpr std::string_view kUnknownHost = "unknown";

/// The name of this machine, as records and the files of a run have it. @errors std::bad_alloc  @threads any
[[nodiscard]] inline std::string host_name() {
    std::array<char, 256> name{};  // the last byte stays zero
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : std::string(kUnknownHost);
}

/// Whether a name is that of this machine. One that is not known may be any machine's. @errors std::bad_alloc
[[nodiscard]] inline bool is_this_host(std::string_view name) {
    return name != kUnknownHost && name == host_name();
}

}  // namespace gimbal
