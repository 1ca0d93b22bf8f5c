// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kmp_ftn_entry.h gains, where programs ask for places: where nobody wants
// any libgomp has none, and libomp one that holds all. Libraries take how many
// there are for how many processors (OpenBLAS).

#undef KMP_AFFINITY_CAPABLE
#define KMP_AFFINITY_CAPABLE()                                                 \
  (__kmp_affin_mask_size > 0 &&                                                \
   !(__kmp_hook_beside_libgomp && __kmp_affinity.type == affinity_none))
