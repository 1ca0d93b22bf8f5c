// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "report/run_record.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gimbal {

/// What an object file says about one address.
struct CodePlace {
    std::string file;            ///< source file, as the compiler saw it; empty if unknown
    int line = 0;                ///< 1, 2, ...; 0 if unknown
    std::string symbol;          ///< name of the function in the object, mangled; empty if unknown
    std::uint64_t distance = 0;  ///< from the beginning of the symbol [bytes]
};

/// The debug information and symbols of one object file. Reads no other file and asks no server.
class ObjectSymbols {
public:
    /// @param path   executable or shared object
    /// @param build  of the object whose addresses will be asked for (kept/build.hpp); 0: whatever the file is
    explicit ObjectSymbols(const std::string& path, std::uint64_t build = 0);
    ~ObjectSymbols();
    ObjectSymbols(const ObjectSymbols&) = delete;
    ObjectSymbols& operator=(const ObjectSymbols&) = delete;

    /// @param offset  address as it stands in the object's file, which may be loaded elsewhere [bytes]
    /// @errors none: what is not known stays empty
    [[nodiscard]] CodePlace find(std::uint64_t offset) const;

    /// The file was replaced by another build, and what it says is about other addresses: nothing is found.
    [[nodiscard]] bool replaced() const noexcept { return replaced_; }

    /// Whether libdw could be loaded at all.
    [[nodiscard]] static bool available() noexcept;

private:
    struct Handle;
    void open();
    [[nodiscard]] CodePlace look_up(std::uint64_t offset) const;

    std::unique_ptr<Handle> handle_;
    bool replaced_ = false;
};

/// Give every loop that has a module its name: "file:line function" from the debug information, otherwise
/// "module symbol+0x12", otherwise "module+0x1234". Where loops of several functions have one name, in the records of a
/// run, they are instances of a template: each gets its instance's function, in all records. All others keep theirs,
/// and what tells instances apart stays in the record: it may be read once more, with those of other ranks. The debug
/// information is read with libdw, loaded when first needed; without libdw the symbols of the object itself have to do,
/// and a warning says so. So it does where a file was replaced by another build since its loops ran: they have no more
/// than "module+0x1234" then. A program that still runs is read all the same: the system keeps its file.
/// @param runs  which of the records are of one run, by their indices; none: all of them are
/// @errors std::bad_alloc; whatever cannot be read just gives a shorter name
/// @threads one at a time  @cost milliseconds per object, more for large debug information; not for loop paths
void resolve_names(std::span<RunRecord> records, std::span<const std::vector<std::size_t>> runs = {});
inline void resolve_names(RunRecord& record) {
    resolve_names(std::span(&record, 1));
}

/// Where the function begins in "file:line function"; 0: nowhere.
[[nodiscard]] std::size_t function_in(std::string_view name) noexcept;

/// "file:line function" with the function that the symbol says, template arguments and all. Symbols of clang 16 and
/// before do not name it: they stand behind the name, as does "+0x1234" if there is none.
[[nodiscard]] std::string instance_name(const std::string& name, std::uint64_t offset, const CodePlace& place);

/// The name of one loop, as above.
/// @param module, offset  where its code lies  @param place  what the object says about that
[[nodiscard]] std::string loop_name(const std::string& module, std::uint64_t offset, const CodePlace& place);

/// A function's name as its author wrote it: C++ names demangled, without parameters and return types, and without what
/// compilers add to the bodies of parallel regions ("main._omp_fn.0", "main.omp_outlined").
[[nodiscard]] std::string readable_function(std::string_view symbol);

}  // namespace gimbal
