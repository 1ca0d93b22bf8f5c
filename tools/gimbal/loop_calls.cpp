// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace gimbal::tool {

namespace {

using Bytes = std::span<const unsigned char>;

/// A section whose content is in the file.
struct Section {
    std::string name;
    std::uint64_t address = 0;
    std::uint64_t entry = 0;  // size of an entry; 0: it has none
    Bytes bytes;
};

/// What of an object matters here.
struct Code {
    std::map<std::uint64_t, std::string> slots;       // function by the address of the pointer to it
    std::map<std::uint64_t, std::uint64_t> pointers;  // what the linker will write where: addresses of the object
    std::vector<Section> linkage, text, data;         // code that jumps through such slots; other code; the rest
};

std::int32_t word_at(Bytes bytes, std::size_t at) noexcept {
    std::int32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
}

/// Functions that compilers call for OpenMP's directives.
bool is_called_by_compilers(std::string_view name) noexcept {
    return name.starts_with("GOMP_") || name.starts_with("__kmpc_");
}

void read_relocations(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Code& code) {
    Elf_Scn* const symbols = elf_getscn(elf, header.sh_link);
    GElf_Shdr symbols_header;
    if (!symbols || !gelf_getshdr(symbols, &symbols_header) || header.sh_entsize == 0) return;
    Elf_Data* const entries = elf_getdata(section, nullptr);
    Elf_Data* const table = elf_getdata(symbols, nullptr);
    if (!entries || !table) return;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Rela relocation;
        GElf_Sym symbol;
        if (!gelf_getrela(entries, static_cast<int>(i), &relocation)) continue;
        if (GELF_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE)
            code.pointers[relocation.r_offset] = static_cast<std::uint64_t>(relocation.r_addend);
        if (!gelf_getsym(table, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol)) continue;
        const char* const name = elf_strptr(elf, symbols_header.sh_link, symbol.st_name);
        if (name && is_called_by_compilers(name)) code.slots[relocation.r_offset] = name;
    }
}

void read_sections(Elf* elf, Code& code) {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return;
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn; scn = elf_nextscn(elf, scn)) {
        GElf_Shdr header;
        if (!gelf_getshdr(scn, &header)) continue;
        if (header.sh_type == SHT_RELA) read_relocations(elf, scn, header, code);
        if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_ALLOC)) continue;
        const Elf_Data* const data = elf_rawdata(scn, nullptr);
        const char* const name = elf_strptr(elf, names, header.sh_name);
        if (!data || !data->d_buf || !name) continue;
        const Section section{name, header.sh_addr, header.sh_entsize,
                              Bytes(static_cast<const unsigned char*>(data->d_buf), data->d_size)};
        if (!(header.sh_flags & SHF_EXECINSTR))
            code.data.push_back(section);
        else
            (section.name.starts_with(".plt") ? code.linkage : code.text).push_back(section);
    }
}

/// Which address of the linkage tables is which function: each entry jumps through a pointer (ff 25).
std::map<std::uint64_t, std::string> stubs_of(const Code& code) {
    std::map<std::uint64_t, std::string> stubs;
    for (const Section& section : code.linkage) {
        const std::uint64_t entry = section.entry > 0 ? section.entry : 16;
        for (std::size_t i = 0; i + 6 <= section.bytes.size(); ++i) {
            if (section.bytes[i] != 0xff || section.bytes[i + 1] != 0x25) continue;
            const auto slot =
                code.slots.find(section.address + i + 6 + static_cast<std::uint64_t>(word_at(section.bytes, i + 2)));
            if (slot != code.slots.end()) stubs[section.address + i / entry * entry] = slot->second;
        }
    }
    return stubs;
}

/// The schedule that the code before a call of clang's puts into the third argument (mov $n, %edx).
LoopSchedule handed_over(Bytes code, std::size_t call) {
    constexpr std::size_t kFar = 160;
    constexpr std::uint32_t kModifiers = 3U << 29U;
    for (std::size_t at = call; at >= 5 && call - at < kFar; --at) {
        if (code[at - 5] != 0xba) continue;
        switch (static_cast<std::uint32_t>(word_at(code, at - 4)) & ~kModifiers) {
            case 33:
            case 34:
            case 65:
            case 66:
            case 45:
                return LoopSchedule::fixed;
            case 35:
            case 67:
                return LoopSchedule::dynamic;
            case 36:
            case 46:
            case 68:
                return LoopSchedule::guided;
            case 37:
            case 47:
            case 69:
                return LoopSchedule::runtime;
            case 38:
            case 70:
                return LoopSchedule::automatic;
            default:
                break;
        }
    }
    return LoopSchedule::unknown;
}

/// The address that the code before a call puts into the first argument (lea, perhaps by way of rax, or mov of a
/// constant); nothing: not seen.
std::optional<std::uint64_t> first_argument(const Section& section, std::size_t call) {
    constexpr std::size_t kFar = 64;
    for (std::size_t at = call; at >= 7 && call - at < kFar; --at) {
        const unsigned char* const code = section.bytes.data() + at - 7;
        const bool moved_on = code[2] == 0x05 && code[7] == 0x48 && code[8] == 0x89 && code[9] == 0xc7;
        if (code[0] == 0x48 && code[1] == 0x8d && (code[2] == 0x3d || moved_on))
            return section.address + at + static_cast<std::uint64_t>(word_at(section.bytes, at - 4));
        if (code[2] == 0xbf) return static_cast<std::uint32_t>(word_at(section.bytes, at - 4));
    }
    return std::nullopt;
}

/// What the object holds at an address, to the end of the section; empty: nothing.
Bytes at_address(const Code& code, std::uint64_t address) {
    for (const Section& section : code.data)
        if (address >= section.address && address - section.address < section.bytes.size())
            return section.bytes.subspan(address - section.address);
    return {};
}

/// "file:line function" from clang's description of a place (ident_t), whose text is ";file;function;line;...".
std::string described(const Code& code, std::uint64_t description) {
    constexpr std::uint64_t kText = 16;  // where the pointer to it lies
    std::uint64_t text = 0;
    const auto pointer = code.pointers.find(description + kText);
    const Bytes own = at_address(code, description + kText);
    if (pointer != code.pointers.end())
        text = pointer->second;
    else if (own.size() >= sizeof text)
        std::memcpy(&text, own.data(), sizeof text);
    const Bytes bytes = at_address(code, text);
    const auto end = std::find(bytes.begin(), bytes.end(), '\0');
    const std::string_view words(reinterpret_cast<const char*>(bytes.data()),
                                 static_cast<std::size_t>(end - bytes.begin()));
    std::array<std::string, 3> fields;
    std::size_t at = 0;
    for (std::string& field : fields) {
        if (at >= words.size() || words[at] != ';') return {};
        const std::size_t next = std::min(words.find(';', at + 1), words.size());
        field = words.substr(at + 1, next - at - 1);
        at = next;
    }
    if (fields[0] == "unknown" || fields[2] == "0" || fields[2].empty()) return {};
    return fields[0] + ":" + fields[2] + " " + fields[1];
}

/// The place that the code before a call of clang's takes last, in whatever register (lea); empty: none is seen.
std::string described_before(const Code& code, const Section& section, std::size_t call) {
    constexpr std::size_t kFar = 256;
    for (std::size_t at = call; at >= 7 && call - at < kFar; --at) {
        const unsigned char* const lea = section.bytes.data() + at - 7;
        if ((lea[0] != 0x48 && lea[0] != 0x4c) || lea[1] != 0x8d || (lea[2] & 0xc7U) != 0x05) continue;
        std::string place =
            described(code, section.address + at + static_cast<std::uint64_t>(word_at(section.bytes, at - 4)));
        if (!place.empty()) return place;
    }
    // Where the code does not move, addresses are constants.
    const auto constant = first_argument(section, call);
    return constant ? described(code, *constant) : std::string();
}

LoopSchedule named(std::string_view name) {
    const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
    if (has("runtime")) return LoopSchedule::runtime;
    if (has("dynamic")) return LoopSchedule::dynamic;
    if (has("guided")) return LoopSchedule::guided;
    return has("static") ? LoopSchedule::fixed : LoopSchedule::unknown;
}

/// @param call  where the call is in its section
void add_call(const std::string& name, const Section& section, std::size_t call, std::size_t size, const Code& code,
              std::vector<LoopCall>& calls) {
    LoopCall found;
    found.offset = section.address + call + size - 1;
    if (name == "GOMP_parallel" || name == "__kmpc_fork_call") {
        found.schedule = LoopSchedule::region;
    } else if (name.starts_with("GOMP_parallel_loop_")) {
        found.schedule = named(name);
        // Such a loop is known by the function that holds its body.
        if (const auto body = first_argument(section, call)) found.offset = *body;
    } else if (name.starts_with("GOMP_loop_") && name.ends_with("start")) {
        found.schedule = named(name);
    } else if (name.starts_with("__kmpc_dispatch_init_")) {
        found.schedule = handed_over(section.bytes, call);
        found.place = described_before(code, section, call);
    } else if (name.starts_with("__kmpc_for_static_init_")) {
        found.schedule = LoopSchedule::fixed;
    } else {
        return;
    }
    calls.push_back(found);
}

void find_calls(const Section& section, const Code& code, const std::map<std::uint64_t, std::string>& stubs,
                std::vector<LoopCall>& calls) {
    const Bytes bytes = section.bytes;
    for (std::size_t i = 0; i + 5 <= bytes.size(); ++i) {
        if (bytes[i] == 0xe8 || bytes[i] == 0xe9) {  // call, jmp
            const auto stub = stubs.find(section.address + i + 5 + static_cast<std::uint64_t>(word_at(bytes, i + 1)));
            if (stub != stubs.end()) add_call(stub->second, section, i, 5, code, calls);
        } else if (bytes[i] == 0xff && (bytes[i + 1] == 0x15 || bytes[i + 1] == 0x25) && i + 6 <= bytes.size()) {
            const auto slot =
                code.slots.find(section.address + i + 6 + static_cast<std::uint64_t>(word_at(bytes, i + 2)));
            if (slot != code.slots.end()) add_call(slot->second, section, i, 6, code, calls);
        }
    }
}

}  // namespace

std::optional<std::vector<LoopCall>> read_loop_calls(const std::string& path) {
    std::optional<std::vector<LoopCall>> found;
    if (elf_version(EV_CURRENT) == EV_NONE) return found;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return found;
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file, ELF_C_READ_MMAP, nullptr), elf_end);
    GElf_Ehdr header;
    if (elf && elf_kind(elf.get()) == ELF_K_ELF && gelf_getehdr(elf.get(), &header) && header.e_machine == EM_X86_64) {
        Code code;
        read_sections(elf.get(), code);
        const auto stubs = stubs_of(code);
        found.emplace();
        for (const Section& section : code.text) find_calls(section, code, stubs, *found);
    }
    close(file);
    return found;
}

}  // namespace gimbal::tool
