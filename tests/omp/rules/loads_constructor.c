/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Loads the library whose path is given and prints how many iterations its constructor ran. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char** argv) {
    void* const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    const int* const total = library ? dlsym(library, "constructor_total") : NULL;
    if (!total) {
        fprintf(stderr, "FAIL: no library was loaded\n");
        return 1;
    }
    printf("total %d\n", *total);
    return 0;
}
