/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GIMBAL_API_H
#define GIMBAL_API_H

/** What libgimbal.so lets other objects see; everything else is hidden. */
#define GIMBAL_API __attribute__((visibility("default")))

#endif
