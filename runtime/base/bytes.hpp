// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace gimbal {

/// What a learner writes down for a later run: plain numbers one after the other, in this machine's own form.
/// @threads guarded by its owner
class ByteWriter {
public:
    template <class Number>
    void put(Number number) {
        static_assert(std::is_arithmetic_v<Number>);
        char bytes[sizeof number];
        std::memcpy(bytes, &number, sizeof number);
        bytes_.append(bytes, sizeof number);
    }
    /// A time or a ratio, for which single precision does.
    void put_real(double number) { put(static_cast<float>(number)); }
    /// @param text  its first 255 characters count
    void put_text(std::string_view text) {
        text = text.substr(0, UINT8_MAX);
        put(static_cast<std::uint8_t>(text.size()));
        bytes_.append(text);
    }
    /// Something whose size the reader needs first. @pre smaller than 64 KiB
    void put_part(std::string_view part) {
        put(static_cast<std::uint16_t>(part.size()));
        bytes_.append(part);
    }
    [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

private:
    std::string bytes_;
};

/// The inverse. What is not there, or is no number, reads as zero, and ok() is false from then on.
/// @threads guarded by its owner
class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) noexcept : rest_(bytes) {}

    template <class Number>
    [[nodiscard]] Number get() noexcept {
        static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
        Number number{};
        const std::string_view bytes = take(sizeof number);
        if (ok_) std::memcpy(&number, bytes.data(), sizeof number);
        return number;
    }
    /// @param low, high  others are not ok
    [[nodiscard]] double get_real(double low, double high) noexcept {
        const auto number = static_cast<double>(get<float>());
        if (ok_ && number >= low && number <= high) return number;  // no NaN gets here
        ok_ = false;
        return std::clamp(0.0, low, high);
    }
    /// A flag: other values than 0 and 1 are not ok.
    [[nodiscard]] bool get_flag() noexcept {
        const auto flag = get<std::uint8_t>();
        ok_ = ok_ && flag <= 1;
        return ok_ && flag == 1;
    }
    [[nodiscard]] std::string_view get_text() noexcept { return take(get<std::uint8_t>()); }
    [[nodiscard]] std::string_view get_part() noexcept { return take(get<std::uint16_t>()); }

    [[nodiscard]] bool ok() const noexcept { return ok_; }
    /// Everything was as it should be, and nothing is left.
    [[nodiscard]] bool done() const noexcept { return ok_ && rest_.empty(); }

private:
    std::string_view take(std::size_t size) noexcept {
        if (!ok_ || size > rest_.size()) {
            ok_ = false;
            return {};
        }
        const std::string_view taken = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return taken;
    }

    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace gimbal
