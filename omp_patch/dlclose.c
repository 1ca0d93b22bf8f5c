/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* dlclose() of programs that have libomp.so before the C library: calls that of
 * the C library, and tells libgimbal. Programs ask for it under a version of
 * the C library's, so it has these versions here. None of them is the default
 * one: then no program is linked with it (but by gold, docs/decisions/0074). */
#include "schedule_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

typedef int (*close_function)(void *library);

static close_function c_library_dlclose(void) {
  static close_function found;
  close_function function = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (function)
    return function;
  void *symbol = dlsym(RTLD_NEXT, "dlclose");
  memcpy(&function, &symbol, sizeof(function));
  __atomic_store_n(&found, function, __ATOMIC_RELAXED);
  return function;
}

static int close_library(void *library) {
  const close_function function = c_library_dlclose();
  if (!function) /* dlsym() has set what dlerror() says */
    return -1;
  const int failed = function(library);
  if (failed == 0 && __kmp_hook.gimbal_loops_unloaded) {
    const int error = errno;
    __kmp_hook.gimbal_loops_unloaded();
    errno = error;
  }
  return failed;
}

#define DLCLOSE(name, version)                                                 \
  __attribute__((visibility("default"))) int name(void *library);              \
  int name(void *library) { return close_library(library); }                   \
  __asm__(".symver " #name ",dlclose@" version)

#if defined(__GLIBC__)
DLCLOSE(gimbal_dlclose, "GLIBC_2.34");
#if defined(__x86_64__)
DLCLOSE(gimbal_dlclose_of_libdl, "GLIBC_2.2.5");
#elif defined(__aarch64__)
DLCLOSE(gimbal_dlclose_of_libdl, "GLIBC_2.17");
#endif
#endif
