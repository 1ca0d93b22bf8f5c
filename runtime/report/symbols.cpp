// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libdw through dlopen: the library is loaded into strangers' processes, and must load where libdw is not installed.
#include "report/names.hpp"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <new>
#include <optional>
#include <vector>

#include "base/own_stack.hpp"
#include "base/process_state.hpp"
#include "kept/build.hpp"

namespace gimbal {

namespace {

struct Dw {
    decltype(&dwfl_begin) begin = nullptr;
    decltype(&dwfl_end) end = nullptr;
    decltype(&dwfl_report_offline) report_offline = nullptr;
    decltype(&dwfl_report_end) report_end = nullptr;
    decltype(&dwfl_module_getelf) module_getelf = nullptr;
    decltype(&dwfl_module_getsrc) module_getsrc = nullptr;
    decltype(&dwfl_module_getsymtab) module_getsymtab = nullptr;
    decltype(&dwfl_module_getsym_info) module_getsym_info = nullptr;
    decltype(&dwfl_lineinfo) lineinfo = nullptr;
    decltype(&dwfl_module_nextcu) module_nextcu = nullptr;
    decltype(&dwarf_haspc) haspc = nullptr;
    decltype(&dwarf_getsrc_die) getsrc_die = nullptr;
    decltype(&dwarf_linesrc) linesrc = nullptr;
    decltype(&dwarf_lineno) lineno = nullptr;
    decltype(&dwfl_offline_section_address) section_address = nullptr;
    bool complete = false;
};

template <class Function>
bool bind(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

Dw load() {
    Dw dw;
    // Local: none of its symbols may meet the program's own.
    void* const library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dw;
    dw.complete =
        bind(library, "dwfl_begin", dw.begin) && bind(library, "dwfl_end", dw.end) &&
        bind(library, "dwfl_report_offline", dw.report_offline) && bind(library, "dwfl_report_end", dw.report_end) &&
        bind(library, "dwfl_module_getelf", dw.module_getelf) &&
        bind(library, "dwfl_module_getsrc", dw.module_getsrc) &&
        bind(library, "dwfl_module_getsymtab", dw.module_getsymtab) &&
        bind(library, "dwfl_module_getsym_info", dw.module_getsym_info) &&
        bind(library, "dwfl_lineinfo", dw.lineinfo) && bind(library, "dwfl_module_nextcu", dw.module_nextcu) &&
        bind(library, "dwarf_haspc", dw.haspc) && bind(library, "dwarf_getsrc_die", dw.getsrc_die) &&
        bind(library, "dwarf_linesrc", dw.linesrc) && bind(library, "dwarf_lineno", dw.lineno) &&
        bind(library, "dwfl_offline_section_address", dw.section_address);
    return dw;
}

// Static objects are made one at a time (process/statics); loading waits for the loader, and is done without.
const Dw& libdw() {
    static constinit std::atomic<const Dw*> loaded{nullptr};
    if (const Dw* const known = loaded.load(std::memory_order_acquire)) return *known;
    static constinit Dw none;
    const Dw* const made = new (std::nothrow) Dw(load());
    if (!made) return none;
    const Dw* first = nullptr;
    if (loaded.compare_exchange_strong(first, made, std::memory_order_acq_rel)) return *made;
    delete made;
    return *first;
}

/// Separate debug files are not looked for: the search may reach over the network.
int no_other_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word, char**) {
    return -1;
}

const Dwfl_Callbacks& callbacks() {
    static char* no_path = nullptr;
    static const Dwfl_Callbacks only = {.find_elf = nullptr,
                                        .find_debuginfo = no_other_file,
                                        .section_address = libdw().section_address,
                                        .debuginfo_path = &no_path};
    return only;
}

/// The functions of an object by address. libdw's own look-up goes through the whole symbol table each time, which is
/// seconds for a program of thousands of loops.
class FunctionTable {
public:
    struct Function {
        GElf_Addr begin = 0;
        GElf_Addr end = 0;
        int rank = 0;  ///< of several that begin at one address the highest names it
        const char* name = nullptr;
        GElf_Addr reach = 0;  ///< the furthest end of this one and those before it
    };

    explicit FunctionTable(Dwfl_Module* module) {
        const int symbols = libdw().module_getsymtab(module);
        for (int i = 1; i < symbols; ++i) {
            GElf_Sym symbol{};  // of none, where it cannot be read
            GElf_Addr begin = 0;
            const char* const name = libdw().module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
            const int type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
            if (!name || !*name || symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0) continue;
            if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
            const int rank = binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
            functions_.push_back({begin, begin + symbol.st_size, rank, name});
        }
        std::stable_sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.rank < b.rank;
        });
        GElf_Addr reach = 0;
        for (Function& function : functions_) function.reach = reach = std::max(reach, function.end);
    }

    /// The function that holds an address, the one that begins last if several do; null if none does.
    [[nodiscard]] const Function* at(GElf_Addr address) const {
        auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](GElf_Addr wanted, const Function& f) { return wanted < f.begin; });
        for (; after != functions_.begin() && std::prev(after)->reach > address; --after)
            if (std::prev(after)->end > address) return &*std::prev(after);
        return nullptr;
    }

private:
    std::vector<Function> functions_;
};

/// File and line by way of the compilation units. libdw's own search needs an address table (.debug_aranges) that
/// clang leaves out unless asked.
void find_in_units(Dwfl_Module* module, GElf_Addr address, CodePlace& place) {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = libdw().module_nextcu(module, unit, &bias));) {
        if (libdw().haspc(unit, address - bias) <= 0) continue;
        Dwarf_Line* const line = libdw().getsrc_die(unit, address - bias);
        const char* const file = line ? libdw().linesrc(line, nullptr, nullptr) : nullptr;
        if (!file || libdw().lineno(line, &place.line) != 0) continue;
        place.file = file;
        return;
    }
}

/// The row of the line table that covers an address.
struct Row {
    std::string file;
    int line = 0;
    Dwarf_Addr begin = 0;
};

Row row_at(Dwfl_Module* module, GElf_Addr address) {
    Row row;
    Dwfl_Line* const line = libdw().module_getsrc(module, address);
    const char* const file = line ? libdw().lineinfo(line, &row.begin, &row.line, nullptr, nullptr, nullptr) : nullptr;
    if (file) row.file = file;
    return row;
}

/// File and line of a loop. Optimisers mix what they inlined into the code around the call that starts the loop, so a
/// row of another file than the one the function begins in is passed over, backwards, as far as the function goes.
Row loop_row(Dwfl_Module* module, GElf_Addr address, GElf_Addr function) {
    const Row entry = row_at(module, function);
    Row row = row_at(module, address);
    while (row.file != entry.file && row.begin > function) row = row_at(module, row.begin - 1);
    return row.file == entry.file ? row : entry;
}

/// Where an object stands in this process. The program itself has no name in the loader's list.
struct Loaded {
    std::string path;
    std::uint64_t base = 0;
    bool found = false;
};

int match_object(dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Loaded*>(data);
    std::string path = object->dlpi_name;
    if (path.empty()) path = program_path();
    if (path != wanted.path) return 0;
    wanted.base = object->dlpi_addr;
    wanted.found = true;
    return 1;
}

/// Without libdw: the nearest exported symbol, if the object is part of this process.
CodePlace exported_symbol(const std::string& path, std::uint64_t offset) {
    CodePlace place;
    Loaded object = {path};
    dl_iterate_phdr(match_object, &object);
    Dl_info info{};
    if (!object.found || !dladdr(reinterpret_cast<void*>(object.base + offset), &info) || !info.dli_sname) return place;
    place.symbol = info.dli_sname;
    place.distance = object.base + offset - reinterpret_cast<std::uintptr_t>(info.dli_saddr);
    return place;
}

}  // namespace

struct ObjectSymbols::Handle {
    std::string path;
    Dwfl* session = nullptr;
    Dwfl_Module* module = nullptr;
    GElf_Addr bias = 0;
    std::optional<FunctionTable> functions;
};

// The system keeps the file of a program that runs, also if its name leads to another one by now.
ObjectSymbols::ObjectSymbols(const std::string& path, std::uint64_t build) : handle_(std::make_unique<Handle>()) {
    constexpr const char* kOwnFile = "/proc/self/exe";
    handle_->path = path;
    if (!may_be_build(path.c_str(), build, path.c_str())) {
        replaced_ = path != program_path() || !may_be_build(kOwnFile, build, path.c_str());
        handle_->path = kOwnFile;
    }
    if (!replaced_) with_room([this] { open(); });
}

void ObjectSymbols::open() {
    if (!available()) return;
    handle_->session = libdw().begin(&callbacks());
    if (!handle_->session) return;
    handle_->module = libdw().report_offline(handle_->session, "", handle_->path.c_str(), -1);
    libdw().report_end(handle_->session, nullptr, nullptr);
    if (handle_->module && !libdw().module_getelf(handle_->module, &handle_->bias)) handle_->module = nullptr;
    if (handle_->module) handle_->functions.emplace(handle_->module);
}

ObjectSymbols::~ObjectSymbols() {
    if (handle_->session) libdw().end(handle_->session);
}

bool ObjectSymbols::available() noexcept {
    return libdw().complete;
}

CodePlace ObjectSymbols::find(std::uint64_t offset) const {
    CodePlace place;
    if (replaced_) return place;
    with_room([&] { place = look_up(offset); });
    return place;
}

CodePlace ObjectSymbols::look_up(std::uint64_t offset) const {
    CodePlace place;
    if (!available()) return exported_symbol(handle_->path, offset);
    if (!handle_->module) return place;
    const GElf_Addr address = offset + handle_->bias;
    if (const FunctionTable::Function* const function = handle_->functions->at(address)) {
        place.symbol = function->name;
        place.distance = address - function->begin;
    }
    const Row row = loop_row(handle_->module, address, address - place.distance);
    place.file = row.file;
    place.line = row.line;
    if (place.file.empty()) find_in_units(handle_->module, address, place);
    return place;
}

}  // namespace gimbal
