// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>

namespace gimbal::pin {

/// A function of the C library, looked up when this library is loaded: a child of a process with threads must not ask
/// the loader, whose lock may be held for ever in it.
template <class Function>
struct Next {
    const char* name;
    Function function = nullptr;

    [[nodiscard]] Function find() const noexcept { return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); }
    /// Constructors of other libraries may come before ours. Nothing is kept then: after vfork() nothing may be written
    /// that the parent would see.
    [[nodiscard]] Function get() const noexcept { return function ? function : find(); }
};

template <class... Functions>
void keep(Next<Functions>&... functions) noexcept {
    ((functions.function = functions.find()), ...);
}

}  // namespace gimbal::pin
