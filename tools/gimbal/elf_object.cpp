// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program_file.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

namespace gimbal::tool {

namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr int kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr int kMachine = EM_RISCV;
#else
constexpr int kMachine = EM_NONE;
#endif

// Every LLVM and Intel runtime has this function, whatever its file is called.
constexpr std::string_view kRuntimeMark = "__kmpc_fork_call";

/// @param elf  nullptr: libelf takes it for no ELF file
bool is_cut(Elf* elf, int file) {
    std::array<char, SELFMAG> start{};
    struct stat info {};
    if (pread(file, start.data(), start.size(), 0) != SELFMAG || fstat(file, &info) != 0 ||
        std::string_view(start.data(), start.size()) != std::string_view(ELFMAG, SELFMAG))
        return false;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    const auto within = [size](std::uint64_t offset, std::uint64_t bytes) {
        return offset <= size && bytes <= size - offset;
    };
    GElf_Ehdr header;
    std::size_t segments = 0;
    if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &segments) != 0) return true;
    if (!within(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize)) return true;
    for (std::size_t i = 0; i < segments; ++i) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, static_cast<int>(i), &segment)) return true;
        if (segment.p_type == PT_LOAD && !within(segment.p_offset, segment.p_filesz)) return true;
    }
    return false;
}

void read_interpreter(Elf* elf, ElfObject& object) {
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    std::size_t size = 0;
    const char* const bytes = elf_rawfile(elf, &size);
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_INTERP) continue;
        if (!bytes || header.p_offset >= size || header.p_filesz > size - header.p_offset) return;
        const std::string_view text(bytes + header.p_offset, header.p_filesz);
        object.interpreter = text.substr(0, text.find('\0'));
    }
}

void note_definition(std::string_view name, ElfObject& object) {
    if (name == kRuntimeMark) object.defines_kmpc = true;
    if (name == "GOMP_parallel") object.defines_gomp = true;
    if (name == "PMPI_Init") object.defines_mpi = true;
    if (name == "ompi_mpi_comm_world") object.defines_open_mpi = true;
}

bool starts_loops(std::string_view name) {
    for (const std::string_view start : {"GOMP_parallel", "GOMP_loop", "__kmpc_fork_call", "__kmpc_dispatch_init",
                                         "__kmpc_for_static_init", "omp_set_schedule"})
        if (name.starts_with(start)) return true;
    return false;
}

/// Functions that an OpenMP runtime offers, to compilers or to programs.
bool is_offered_by_runtime(std::string_view name) {
    for (const std::string_view start : {"GOMP_", "__kmpc_", "kmp_", "omp_"})
        if (name.starts_with(start)) return true;
    return false;
}

void read_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfObject& object) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data || header.sh_entsize == 0) return;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, i, &symbol)) return;
        const char* const text = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!text) continue;
        const std::string_view name = text;
        const bool defined = symbol.st_shndx != SHN_UNDEF;
        if (defined) note_definition(name, object);
        // The full symbol table repeats the dynamic one; only the latter is linked by name.
        if (header.sh_type != SHT_DYNSYM) continue;
        if (!defined && starts_loops(name)) object.starts.emplace_back(name);
        if (!is_offered_by_runtime(name)) continue;
        if (defined)
            object.exports.emplace_back(name);
        else if (GELF_ST_BIND(symbol.st_info) != STB_WEAK)
            object.imports.emplace_back(name);
    }
}

void read_names(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfObject& object) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data || header.sh_entsize == 0) return;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
        GElf_Dyn entry;
        if (!gelf_getdyn(data, i, &entry) || entry.d_tag == DT_NULL) return;
        if (entry.d_tag != DT_SONAME && entry.d_tag != DT_NEEDED) continue;
        const char* const name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
        if (!name) continue;
        if (entry.d_tag == DT_SONAME)
            object.soname = name;
        else
            object.needed.emplace_back(name);
    }
}

void read_sections(Elf* elf, ElfObject& object) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header)) continue;
        if (header.sh_type == SHT_DYNSYM || header.sh_type == SHT_SYMTAB) read_symbols(elf, section, header, object);
        if (header.sh_type == SHT_DYNAMIC) read_names(elf, section, header, object);
    }
}

}  // namespace

ElfObject read_elf(const std::string& path) {
    ElfObject object;
    if (elf_version(EV_CURRENT) == EV_NONE) return object;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return object;
    const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file, ELF_C_READ_MMAP, nullptr), elf_end);
    object.cut = is_cut(elf.get(), file);
    GElf_Ehdr header;
    if (elf && elf_kind(elf.get()) == ELF_K_ELF && gelf_getehdr(elf.get(), &header) &&
        header.e_ident[EI_CLASS] == ELFCLASS64 && (kMachine == EM_NONE || header.e_machine == kMachine) &&
        (header.e_type == ET_EXEC || header.e_type == ET_DYN)) {
        object.is_elf = true;
        read_interpreter(elf.get(), object);
        read_sections(elf.get(), object);
    }
    close(file);
    return object;
}

}  // namespace gimbal::tool
