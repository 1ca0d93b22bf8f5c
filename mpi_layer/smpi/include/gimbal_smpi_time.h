/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Included before anything else in programs of simulated ranks: clocks and sleeping go by virtual time. */
#ifndef GIMBAL_SMPI_TIME_H
#define GIMBAL_SMPI_TIME_H

#include <smpi/smpi_helpers.h>

/* That header takes these names too, which libraries use for functions of their own. */
#undef exit
#undef getpid
#undef getopt
#undef getopt_long
#undef getopt_long_only

#endif
