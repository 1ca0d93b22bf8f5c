/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where do the chunks of a loop begin and end? Calls the entry points that gcc and clang call, so that every chunk is
 * seen, for many N and chunks, and says which chunk breaks the promise of its schedule:
 *   granule dynamic       schedule(dynamic, c): every chunk begins at a multiple of c and, but for the last, ends at
 * one granule guided        schedule(guided, c): no chunk but the last has less than c iterations granule granule C
 * schedule(runtime) with a chunk C that is named outside, as for dynamic granule exact C       the same; every chunk
 * but the last has C iterations A team of one may get everything at once. Exit status: 0 if all promises were kept. */
#include "granule.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CHUNKS = 1 << 15, EXECUTIONS = 4, THREADS = 3 };

typedef struct Chunk {
    uint64_t first, end; /* counted from the first iteration */
} Chunk;

static Chunk chunks[MOST_CHUNKS];
static int chunk_count;
static int failures;

void add_chunk(uint64_t first, uint64_t end) {
    int place;
#pragma omp atomic capture
    place = chunk_count++;
    if (place < MOST_CHUNKS) chunks[place] = (Chunk){first, end};
}

static int by_first(const void* left, const void* right) {
    const uint64_t a = ((const Chunk*)left)->first, b = ((const Chunk*)right)->first;
    return (a > b) - (a < b);
}

static void fail(const char* entry, const Trial* trial, const char* what, Chunk chunk) {
    if (++failures > 20) return;
    printf("FAIL %s N=%llu c=%llu stride %d: chunk [%llu, %llu) %s\n", entry, (unsigned long long)trial->trip,
           (unsigned long long)trial->chunk, trial->stride, (unsigned long long)chunk.first,
           (unsigned long long)chunk.end, what);
}

static void check(const char* entry, const Trial* trial) {
    if (chunk_count > MOST_CHUNKS) {
        fail(entry, trial, "is one too many", (Chunk){0, 0});
        return;
    }
    qsort(chunks, (size_t)chunk_count, sizeof chunks[0], by_first);
    uint64_t next = 0;
    for (int i = 0; i < chunk_count; ++i) {
        const Chunk chunk = chunks[i];
        const uint64_t size = chunk.end - chunk.first;
        if (chunk.first != next || chunk.end <= chunk.first)
            fail(entry, trial, "does not follow the one before", chunk);
        next = chunk.end;
        if (trial->promise == AT_LEAST && size < trial->chunk && chunk.end != trial->trip)
            fail(entry, trial, "is too short", chunk);
        if (trial->promise != AT_LEAST && chunk.first % trial->chunk != 0)
            fail(entry, trial, "begins at no multiple of c", chunk);
        if (trial->promise == EXACT && size != trial->chunk && chunk.end != trial->trip)
            fail(entry, trial, "has another size", chunk);
    }
    if (next != trial->trip) fail(entry, trial, "is the last", (Chunk){0, next});
}

static void run(const Entry* entry, const Trial* trial) {
    for (int i = 0; i < EXECUTIONS; ++i) {
        chunk_count = 0;
#pragma omp parallel num_threads(THREADS)
        entry->run(trial);
        check(entry->name, trial);
    }
}

/* Short loops, loops with a short end, and loops whose last iteration is near the end of the type's range. */
static void run_all(Promise promise, Source source, uint64_t named) {
    static const uint64_t kChunks[] = {1, 2, 7, 64, 1024, 1ULL << 40, 1ULL << 58};
    static const uint64_t kGranules[] = {1, 2, 5, 12, 33}; /* N in chunks, about */
    static const int kStrides[] = {1, -1, 3, -7};
    int count = 0;
    const Entry* const entries = all_entries(&count);
    for (int e = 0; e < count; ++e) {
        for (size_t c = 0; c < sizeof kChunks / sizeof kChunks[0]; ++c) {
            const uint64_t chunk = named ? named : kChunks[c];
            if (named && c > 0) break;
            for (size_t g = 0; g < 3 * sizeof kGranules / sizeof kGranules[0]; ++g) {
                __extension__ const unsigned __int128 wide =
                    (unsigned __int128)kGranules[g / 3] * chunk + (g % 3 == 0   ? 0
                                                                   : g % 3 == 1 ? chunk / 2 + 1
                                                                                : 1);
                const int stride = chunk < 1ULL << 20 ? kStrides[g % 4] : entries[e].is_unsigned || g % 2 ? 1 : -1;
                const uint64_t steps = (uint64_t)(stride < 0 ? -stride : stride);
                if (wide * steps > entries[e].most || chunk > entries[e].most_chunk) continue;
                /* libomp 19 itself runs nothing of longer guided loops. */
                if (source == GUIDED && wide > INT64_MAX) continue;
                if (stride < 0 && !entries[e].goes_down) continue;
                const Trial trial = {(uint64_t)wide, chunk, stride, promise, source};
                run(&entries[e], &trial);
            }
        }
    }
}

int main(int argc, char** argv) {
    const char* const mode = argc > 1 ? argv[1] : "dynamic";
    const uint64_t named = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    if (strcmp(mode, "dynamic") == 0) run_all(MULTIPLE, DYNAMIC, named);
    if (strcmp(mode, "guided") == 0) run_all(AT_LEAST, GUIDED, named);
    if (strcmp(mode, "granule") == 0) run_all(MULTIPLE, RUNTIME, named);
    if (strcmp(mode, "exact") == 0) run_all(EXACT, RUNTIME, named);
    printf("%d chunks break the promise\n", failures);
    return failures != 0;
}
