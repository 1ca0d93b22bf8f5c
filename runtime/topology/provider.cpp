// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hwloc behind dlopen: the library is loaded into strangers' processes, and must load where hwloc is not installed.
#include "topology/provider.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "base/held_signal.hpp"
#include "base/warnings.hpp"

namespace gimbal {

namespace {

constexpr const char* kProvider = "libgimbal_topology.so";

// Its address lies in the object that contains this code.
const char anchor = 0;

Topology unknown(const std::string& why) {
    warn_once("topology unknown: " + why + "; threads steal from victims in order of their numbers");
    return Topology();
}

}  // namespace

std::string provider_path() noexcept try {
    namespace fs = std::filesystem;
    Dl_info info{};
    link_map* object = nullptr;
    if (!dladdr1(&anchor, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) || !object) return {};
    if (*object->l_name) return fs::path(object->l_name).parent_path() / kProvider;
    // The program itself has no name in the loader's list.
    std::error_code failed;
    const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    if (failed) return {};
    const fs::path in_lib = folder.parent_path() / "lib" / kProvider;
    return !fs::exists(folder / kProvider, failed) && fs::exists(in_lib, failed) ? in_lib : folder / kProvider;
} catch (...) {
    return {};
}

Topology ask_provider(gimbal_topology_provider fill) {
    constexpr int kUsual = 1024;
    constexpr int kMax = 65536;
    std::vector<gimbal_cpu_place> places(kUsual);
    int count = fill(places.data(), kUsual);
    if (count > kUsual && count <= kMax) {
        places.resize(static_cast<std::size_t>(count));
        count = std::min(fill(places.data(), count), count);
    }
    if (count < 1 || count > kMax) return Topology();
    places.resize(static_cast<std::size_t>(count));
    places.shrink_to_fit();
    return Topology(std::move(places));
}

Topology load_topology(const std::string& path) noexcept try {
    if (path.empty()) return unknown("the path of libgimbal.so is unknown");
    const HeldSignals held;
    // Local: none of its symbols, nor hwloc's, may meet the program's own.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* const why = dlerror();
        return unknown(why ? why : path);
    }
    const auto fill = reinterpret_cast<gimbal_topology_provider>(dlsym(library, "gimbal_topology_fill"));
    if (!fill) return unknown(path + " is not a topology library of Gimbal");
    Topology found = ask_provider(fill);
    return found.known() ? std::move(found) : unknown(path + " cannot read this machine");
} catch (...) {
    return Topology();
}

}  // namespace gimbal
