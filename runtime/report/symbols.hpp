// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
    /// @param path  executable or shared object
    explicit ObjectSymbols(const std::string& path);
    ~ObjectSymbols();
    ObjectSymbols(const ObjectSymbols&) = delete;
    ObjectSymbols& operator=(const ObjectSymbols&) = delete;

    /// @param offset  address relative to where the object is loaded [bytes]
    /// @errors none: what is not known stays empty
    [[nodiscard]] CodePlace find(std::uint64_t offset) const;

    /// Whether libdw could be loaded at all.
    [[nodiscard]] static bool available() noexcept;

private:
    struct Handle;
    std::unique_ptr<Handle> handle_;
};

}  // namespace gimbal
