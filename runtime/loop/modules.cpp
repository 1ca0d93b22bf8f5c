// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loop/modules.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <string_view>

#include "base/process_state.hpp"

namespace gimbal {

namespace {

/// From where an object's first segment is loaded to where its last one ends.
void set_extent(const dl_phdr_info& object, Module& module) noexcept {
    module.begin = UINTPTR_MAX;
    module.end = 0;
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = object.dlpi_phdr[i];
        if (header.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
        module.begin = std::min(module.begin, begin);
        module.end = std::max(module.end, begin + header.p_memsz);
    }
}

#ifndef DLFO_STRUCT_HAS_EH_DBASE
int extent_of(dl_phdr_info* object, std::size_t, void* data) {
    auto& module = *static_cast<Module*>(data);
    if (object->dlpi_addr != module.moved_by) return 0;
    set_extent(*object, module);
    return 1;
}
#endif

/// What stands where a module was seen.
struct Place {
    const char* path = nullptr;
    const Module* module = nullptr;
    bool loaded = false;
    bool empty = true;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* data) {
    auto& place = *static_cast<Place*>(data);
    Module now;
    set_extent(*object, now);
    if (now.begin >= place.module->end || place.module->begin >= now.end) return 0;
    place.empty = false;
    place.loaded |= object->dlpi_addr == place.module->moved_by && std::string_view(place.path) == object->dlpi_name;
    return place.loaded ? 1 : 0;
}

}  // namespace

// dladdr() waits for the loader's lock, which a thread holds that runs constructors in dlopen(). If one of them starts
// a team and waits for it, a worker must not wait in turn; so the lookup without locks comes first (glibc 2.35).
Module module_at(const void* address) noexcept {
    Module module;
#ifdef DLFO_STRUCT_HAS_EH_DBASE
    dl_find_object found{};
    if (_dl_find_object(const_cast<void*>(address), &found) != 0 || !found.dlfo_link_map) return module;
    module.begin = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
    module.end = reinterpret_cast<std::uintptr_t>(found.dlfo_map_end);
    const link_map* const object = found.dlfo_link_map;
    module.moved_by = object->l_addr;
#else
    Dl_info info{};
    void* map = nullptr;
    if (dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 || !map) return module;
    const auto* const object = static_cast<const link_map*>(map);
    module.moved_by = object->l_addr;
    dl_iterate_phdr(extent_of, &module);
    module.begin = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
#endif
    // The program itself has no name in the loader's list.
    module.is_program = object->l_name == nullptr || *object->l_name == '\0';
    module.path = module.is_program ? program_path() : object->l_name;
    return module;
}

// It takes the address that a call returns to, and looks one byte before that.
std::uintptr_t function_around(const void* code) noexcept {
    const auto after = reinterpret_cast<std::uintptr_t>(code) + 1;
    return reinterpret_cast<std::uintptr_t>(_Unwind_FindEnclosingFunction(reinterpret_cast<void*>(after)));
}

void SeenModules::add(const Module& module) {
    if (!module.path || module.is_program) return;
    Seen* free = nullptr;
    for (Seen* seen = first_.load(std::memory_order_relaxed); seen; seen = seen->next) {
        // Acquire: look() has done with what is gone.
        if (!seen->loaded.load(std::memory_order_acquire))
            free = seen;
        else if (seen->module.moved_by == module.moved_by && seen->path == module.path)
            return;
    }
    Seen* const seen = free ? free : new Seen;
    seen->path = module.path;
    seen->module = module;
    seen->module.path = seen->path.c_str();
    seen->loaded.store(true, std::memory_order_release);
    if (free) return;
    seen->next = first_.load(std::memory_order_relaxed);
    first_.store(seen, std::memory_order_release);
}

// The loader lets nobody load or unload while it calls back; so all is done within one callback.
void SeenModules::look(Call call, void* gone) {
    struct Look {
        SeenModules& modules;
        Call call;
        void* gone;
    } own = {*this, call, gone};
    dl_iterate_phdr(
        [](dl_phdr_info*, std::size_t, void* data) {
            const Look& look = *static_cast<Look*>(data);
            for (Seen* seen = look.modules.first_.load(std::memory_order_acquire); seen; seen = seen->next) {
                if (!seen->loaded.load(std::memory_order_acquire)) continue;
                Place place = {seen->module.path, &seen->module};
                dl_iterate_phdr(look_at_object, &place);
                if (place.loaded) continue;
                look.call(seen->module, place.empty, look.gone);
                seen->loaded.store(false, std::memory_order_release);
            }
            return 1;
        },
        &own);
}

}  // namespace gimbal
