// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over distributed data, for C.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "gimbal/mpi/mpi.h"
#include "gimbal/mpi/steal_loop.hpp"
#include "interface/errors.hpp"

using gimbal::Error;
using gimbal::ErrorCode;
using gimbal::mpi::guarded;
using gimbal::mpi::StealLoop;
using gimbal::mpi::StealOptions;
using gimbal::mpi::StealWork;

struct gimbal_mpi_buffer {
    std::vector<std::byte>* bytes;
};

namespace {

/// A callback returned another number than 0.
struct GivenUp : std::runtime_error {
    explicit GivenUp(int returned)
        : std::runtime_error("a callback returned " + std::to_string(returned)), number(returned) {}
    int number;
};

void expect_zero(int number) {
    if (number != 0) throw GivenUp(number);
}

StealWork work_of(const gimbal_mpi_steal_work* given) {
    StealWork work;
    if (!given) return work;
    // A copy: the program's structure may be gone when a callback is called.
    const gimbal_mpi_steal_work calls = *given;
    if (calls.run) work.run = [calls](auto first, auto count) { expect_zero(calls.run(calls.user, first, count)); };
    if (calls.pack) {
        work.pack = [calls](auto first, auto count, auto& items) {
            gimbal_mpi_buffer buffer{&items};
            expect_zero(calls.pack(calls.user, first, count, &buffer));
        };
    }
    if (calls.run_stolen) {
        work.run_stolen = [calls](int owner, auto first, auto count, auto items, auto& results) {
            gimbal_mpi_buffer buffer{&results};
            expect_zero(calls.run_stolen(calls.user, owner, first, count, items.data(), items.size(), &buffer));
        };
    }
    if (calls.accept) {
        work.accept = [calls](auto first, auto count, auto results) {
            expect_zero(calls.accept(calls.user, first, count, results.data(), results.size()));
        };
    }
    return work;
}

StealOptions options_of(const gimbal_mpi_steal_options* given) {
    StealOptions options;
    if (!given) return options;
    // One that does not exist stays one; the constructor says so.
    options.rule =
        static_cast<StealOptions::Rule>(given->rule >= 0 && given->rule < UINT8_MAX ? given->rule : UINT8_MAX);
    options.ratio = given->ratio;
    options.run_at_once = given->run_at_once;
    return options;
}

}  // namespace

int gimbal_mpi_append_bytes(gimbal_mpi_buffer* buffer, const void* bytes, size_t count) {
    return guarded([&] {
        if (!buffer || (!bytes && count > 0)) throw Error(ErrorCode::wrong_use, "no buffer, or no bytes to append");
        if (count == 0) return 0;
        const std::size_t old = buffer->bytes->size();
        buffer->bytes->resize(old + count);
        std::memcpy(buffer->bytes->data() + old, bytes, count);
        return 0;
    });
}

int gimbal_mpi_run_items(MPI_Comm comm, const char* name, int64_t owned, const gimbal_mpi_steal_work* work,
                         const gimbal_mpi_steal_options* options, gimbal_mpi_steal_record* record) {
    return guarded([&] {
        if (!name) throw Error(ErrorCode::wrong_use, "the loop's name is NULL");
        try {
            StealLoop loop(comm, name, owned, work_of(work), options_of(options));
            const gimbal_steal_record seen = loop.run();
            if (record) *record = seen;
        } catch (const GivenUp& given_up) {
            gimbal::mpi::keep_error_text(given_up.what());
            return given_up.number;
        }
        return 0;
    });
}
