// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In a file of its own: where both are inlined, gcc takes new and free() for a mismatch.
#include "allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
std::size_t calls = 0;
}

void* operator new(std::size_t size) {
    ++calls;
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
    std::free(memory);
}

namespace gimbal::test {

std::size_t allocations() noexcept {
    return calls;
}

}  // namespace gimbal::test
