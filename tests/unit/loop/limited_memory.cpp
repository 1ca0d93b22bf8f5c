// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "limited_memory.hpp"

#include <stdlib.h>

#include <cstddef>
#include <new>

namespace gimbal::test {
thread_local long blocks_left = kNoLimit;
}

namespace {

void* given(void* memory) {
    if (!memory) throw std::bad_alloc();
    return memory;
}

bool gives_one() noexcept {
    long& left = gimbal::test::blocks_left;
    return left == gimbal::test::kNoLimit || (left > 0 && left-- > 0);
}

}  // namespace

void* operator new(std::size_t size) {
    return given(gives_one() ? malloc(size) : nullptr);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    const auto align = static_cast<std::size_t>(alignment);
    return given(gives_one() ? aligned_alloc(align, (size + align - 1) / align * align) : nullptr);
}
void operator delete(void* memory) noexcept {
    free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    free(memory);
}
