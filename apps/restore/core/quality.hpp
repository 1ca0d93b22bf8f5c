// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "image.hpp"

namespace restore {

/// How near an image is to the original, both of the same size.
struct Quality {
    double psnr_db = 0;  ///< peak signal to noise ratio, 10 log10(255^2 / mean squared error); 99 if nothing differs
    double ssim = 0;     ///< mean structural similarity, in [-1, 1]; 1 if nothing differs
};

/// @pre both have the same size and planes   @errors none   @threads pure   @cost O(49 pixels)
/// @source SSIM: Wang, Bovik, Sheikh, Simoncelli 2004, with windows of 7 x 7 equal weights
Quality quality(const Image& image, const Image& original);

}  // namespace restore
