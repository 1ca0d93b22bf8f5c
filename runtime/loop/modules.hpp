// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace gimbal {

/// An object of this process: the program or a library.
struct Module {
    const char* path = nullptr;  ///< nullptr: there is none
    std::uintptr_t begin = 0;    ///< where it is loaded
    std::uintptr_t end = 0;      ///< past its last byte
    std::uintptr_t moved_by =
        0;  ///< from the addresses that stand in its file; 0: it is a program that cannot be moved
    bool is_program = false;

    [[nodiscard]] bool holds(const void* address) const noexcept {
        const auto place = reinterpret_cast<std::uintptr_t>(address);
        return begin <= place && place < end;
    }
};

/// The one that holds an address.
/// @errors none  @threads any, while it stays loaded; not for the loader's lock (glibc before 2.35: for it)
[[nodiscard]] Module module_at(const void* address) noexcept;

/// Where the function begins that holds this code, by what unwinders know of it. @return 0: they do not
/// @errors none  @threads as module_at()  @cost a search in a table of the object's functions
[[nodiscard]] std::uintptr_t function_around(const void* code) noexcept;

/// The libraries in which loops were seen, to tell when one is gone. As many are kept as were loaded at a time.
class SeenModules {
public:
    /// @errors std::bad_alloc  @threads one at a time
    void add(const Module& module);

    /// Calls `gone(module, empty)` for each that is not loaded any more, once. `empty`: nothing else lies in its place.
    /// Meanwhile nothing can be loaded, and `gone` must wait for nobody: threads that wait for the loader may hold any
    /// lock.
    /// @threads any; not inside a callback of dl_iterate_phdr()  @cost some us
    template <class Gone>
    void look(Gone gone) {
        look([](const Module& module, bool empty, void* call) { (*static_cast<Gone*>(call))(module, empty); }, &gone);
    }

    /// Whether none was seen.
    [[nodiscard]] bool empty() const noexcept { return first_.load(std::memory_order_relaxed) == nullptr; }

private:
    struct Seen {
        std::string path;
        Module module;
        std::atomic<bool> loaded = false;  // else nobody looks at the two above, and they may be another library's
        Seen* next = nullptr;
    };
    using Call = void (*)(const Module& module, bool empty, void* gone);

    void look(Call call, void* gone);

    // Acquire what the adding thread wrote; partner: the release stores in add().
    std::atomic<Seen*> first_ = nullptr;
};

}  // namespace gimbal
