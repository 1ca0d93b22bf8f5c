// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace evrard {

/// Normalisation of the kernel in three dimensions: 1 / integral of 4 pi v^2 sinc(pi v / 2)^6 over 0 <= v <= 2.
inline constexpr double kKernelNorm = 0.790449589432303;

/// Ratio of the kernel's support to h.
inline constexpr double kSupport = 2.0;

/// Shape of the SPH kernel, S = sinc(pi v / 2)^6 with support v < 2; W(r, h) = kKernelNorm / h^3 S(r^2 / h^2).
/// It is a function of v^2, so that no square root is needed; sinc comes from its Taylor series, whose first left-out
/// term is below 2e-11 on the support.
/// @param q  v^2 = r^2 / h^2, q >= 0
/// @return S in [0, 1], 0 outside the support
/// @cost about 25 floating-point operations, no branch   @source Cabezon, Garcia-Senz, Relano 2008 (sinc kernels)
inline double kernel_shape(double q) {
    // c_k = (-1)^k (pi^2 / 4)^k / (2 k + 1)!
    constexpr double kQuarterPi2 = 2.4674011002723396547;
    constexpr double c1 = -kQuarterPi2 / 6.0;
    constexpr double c2 = -c1 * kQuarterPi2 / 20.0;
    constexpr double c3 = -c2 * kQuarterPi2 / 42.0;
    constexpr double c4 = -c3 * kQuarterPi2 / 72.0;
    constexpr double c5 = -c4 * kQuarterPi2 / 110.0;
    constexpr double c6 = -c5 * kQuarterPi2 / 156.0;
    constexpr double c7 = -c6 * kQuarterPi2 / 210.0;
    constexpr double c8 = -c7 * kQuarterPi2 / 272.0;
    constexpr double c9 = -c8 * kQuarterPi2 / 342.0;
    constexpr double c10 = -c9 * kQuarterPi2 / 420.0;
    // Two half-length chains: the loop over neighbours is bound by latency otherwise.
    const double q2 = q * q;
    const double even = 1.0 + q2 * (c2 + q2 * (c4 + q2 * (c6 + q2 * (c8 + q2 * c10))));
    const double odd = c1 + q2 * (c3 + q2 * (c5 + q2 * (c7 + q2 * c9)));
    const double s = even + q * odd;
    const double s2 = s * s;
    return q < kSupport * kSupport ? s2 * s2 * s2 : 0.0;
}

/// Kernel value. @param r2 squared distance  @param h smoothing length, h > 0  @return W [1/length^3]
inline double kernel(double r2, double h) {
    return kKernelNorm / (h * h * h) * kernel_shape(r2 / (h * h));
}

}  // namespace evrard
