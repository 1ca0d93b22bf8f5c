// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kept/build.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "gimbal/file_identity.hpp"
#include "gimbal/hash.hpp"

namespace gimbal {

namespace {

constexpr std::size_t kAlignment = 4;  // of the parts of a note

std::size_t rounded(std::size_t size) noexcept {
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

/// @param bias  what is added to addresses in the headers
std::string_view build_id_of(std::span<const ElfW(Phdr)> headers, std::uintptr_t bias) noexcept {
    for (const ElfW(Phdr) & header : headers) {
        if (header.p_type != PT_NOTE) continue;
        const auto* const notes = reinterpret_cast<const char*>(bias + header.p_vaddr);
        if (const std::string_view id = build_id_in({notes, header.p_memsz}); !id.empty()) return id;
    }
    return {};
}

/// @param path  by which it is known
std::uint64_t hash_of_file(const char* file, const char* path) noexcept {
    struct stat found {};
    if (!path || stat(file, &found) != 0) return 0;
    std::uint64_t hash = hash_of(path);
    hash = hash_with(hash, static_cast<std::uint64_t>(found.st_size));
    hash = hash_with(hash, static_cast<std::uint64_t>(found.st_mtim.tv_sec));
    return hash_with(hash, static_cast<std::uint64_t>(found.st_mtim.tv_nsec));
}

std::uint64_t hash_of_file(const char* path) noexcept {
    return hash_of_file(path, path);
}

/// An open file, as far as it is wanted.
class File {
public:
    explicit File(const char* path) noexcept : file_(beyond_standard_streams(open(path, O_RDONLY | O_CLOEXEC))) {}
    ~File() {
        if (file_ >= 0) close(file_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] bool read(void* to, std::size_t size, std::uint64_t offset) const noexcept {
        return file_ >= 0 && pread(file_, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
    }

private:
    int file_;
};

/// What build_of() says of an object with a build id.
/// @return 0: the file has none, or cannot be read
std::uint64_t hash_of_build_id(const char* path) noexcept {
    constexpr std::size_t kLargest = 4096;  // notes that are read: the build id's are some tens of bytes
    const File file(path);
    ElfW(Ehdr) object;
    if (!file.read(&object, sizeof object, 0) || std::memcmp(object.e_ident, ELFMAG, SELFMAG) != 0) return 0;
    for (int i = 0; i < object.e_phnum; ++i) {
        ElfW(Phdr) header;
        if (!file.read(&header, sizeof header, object.e_phoff + static_cast<std::uint64_t>(i) * sizeof header)) break;
        std::array<char, kLargest> notes;
        if (header.p_type != PT_NOTE || header.p_filesz > notes.size()) continue;
        if (!file.read(notes.data(), header.p_filesz, header.p_offset)) continue;
        if (const std::string_view id = build_id_in({notes.data(), header.p_filesz}); !id.empty()) return hash_of(id);
    }
    return 0;
}

std::span<const ElfW(Phdr)> headers_of_program() noexcept {
    const auto* const first = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
    return {first, first ? getauxval(AT_PHNUM) : 0};
}

}  // namespace

std::string_view build_id_in(std::string_view notes) noexcept {
    constexpr std::string_view kOwner("GNU", 4);
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, notes.data(), sizeof note);
        notes.remove_prefix(sizeof note);
        const std::size_t name = rounded(note.n_namesz), content = rounded(note.n_descsz);
        if (name > notes.size() || note.n_descsz > notes.size() - name) return {};
        if (note.n_type == NT_GNU_BUILD_ID && notes.substr(0, note.n_namesz) == kOwner)
            return notes.substr(name, note.n_descsz);
        notes.remove_prefix(std::min(name + content, notes.size()));
    }
    return {};
}

std::uint64_t build_of(const void* begin, const char* path) noexcept {
    ElfW(Ehdr) header;
    if (!begin) return 0;
    std::memcpy(&header, begin, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return hash_of_file(path);
    const auto base = reinterpret_cast<std::uintptr_t>(begin);
    const std::span<const ElfW(Phdr)> headers{reinterpret_cast<const ElfW(Phdr)*>(base + header.e_phoff),
                                              header.e_phnum};
    // Addresses count from where the first segment was to be loaded: 0, but in a program that cannot be moved.
    const auto first = std::find_if(headers.begin(), headers.end(), [](const auto& h) { return h.p_type == PT_LOAD; });
    if (first == headers.end() || first->p_offset != 0) return hash_of_file(path);
    const std::string_view id = build_id_of(headers, base - first->p_vaddr);
    return id.empty() ? hash_of_file(path) : hash_of(id);
}

// Where no build id was found in memory size and time of the file count, whether it has one or not.
bool may_be_build(const char* file, std::uint64_t build, const char* path) noexcept {
    const std::uint64_t by_time = build == 0 ? 0 : hash_of_file(file, path);
    return by_time == 0 || by_time == build || hash_of_build_id(file) == build;
}

std::uint64_t build_of_program() noexcept {
    const std::span<const ElfW(Phdr)> headers = headers_of_program();
    for (const ElfW(Phdr) & header : headers) {
        if (header.p_type != PT_PHDR) continue;
        const std::string_view id =
            build_id_of(headers, reinterpret_cast<std::uintptr_t>(headers.data()) - header.p_vaddr);
        if (!id.empty()) return hash_of(id);
    }
    return hash_of_file("/proc/self/exe");
}

std::uint64_t machine_kind() noexcept {
    std::uint64_t hash = hash_with(hash_of(""), static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_CONF)));
#if defined(__x86_64__)
    // Family, model and stepping, which every such processor has. Each further leaf takes 5 us in a virtual machine.
    unsigned processor = 0, other = 0;
    __cpuid(1, processor, other, other, other);
    hash = hash_with(hash, processor);
#else
    utsname system{};
    if (uname(&system) == 0) hash = hash_of(system.machine, hash);
#endif
    return hash;
}

}  // namespace gimbal
