/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libiomp5.so: a library without functions, by whose name programs of Intel's
 * compilers find an OpenMP runtime. Where it is loaded before them, the dynamic
 * linker takes it for the library that they need, whether one of Intel's is
 * installed or not, and finds all functions in the patched libomp. A library
 * has one name (DT_SONAME) only, and libomp.so has LLVM's. */
typedef int gimbal_no_empty_file;
