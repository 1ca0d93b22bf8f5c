// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unit tests neither read nor write what the developer's own programs have learnt.
#include <stdlib.h>

// Before the constructor that reads the settings.
__attribute__((constructor(101))) static void no_cache() {
    setenv("GIMBAL_CACHE", "off", 0);
}
