/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libiomp5.so, libomp_unversioned.so: libraries without functions, by whose
 * names (DT_SONAME libiomp5.so and libomp.so) programs find an OpenMP runtime:
 * those of Intel's compilers, and those of clang on systems that call libomp as
 * LLVM does. Where one is loaded before them, the dynamic linker takes it for
 * the library that they need, whether that is installed or not, and finds all
 * functions in the patched libomp. A library has one name only, and the patched
 * libomp has Debian's, libomp.so.5. */
typedef int gimbal_no_empty_file;
