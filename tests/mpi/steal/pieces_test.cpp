// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steal/pieces.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gimbal/error.hpp"
#include "steal/buffer_pool.hpp"

namespace gimbal::mpi {
namespace {

TEST(Pieces, ComeBackAsTheyWentIn) {
    const StealHeader header{.epoch = 7, .kind = StealKind::items, .first = 3, .count = 6};
    std::vector<std::byte> message;
    begin_message(message, header);
    for (std::size_t n : {0U, 1U, 15U, 16U, 17U, 1000U}) {
        const std::size_t at = begin_piece(message, static_cast<std::int64_t>(n) + 1);
        message.insert(message.end(), n, static_cast<std::byte>(n));
        end_piece(message, at, header);
    }
    PieceReader pieces(message);
    std::int64_t count = 0;
    std::span<const std::byte> bytes;
    for (std::size_t n : {0U, 1U, 15U, 16U, 17U, 1000U}) {
        EXPECT_EQ(pieces.last(), n == 1000);
        ASSERT_TRUE(pieces.next(count, bytes));
        EXPECT_EQ(count, static_cast<std::int64_t>(n) + 1);
        ASSERT_EQ(bytes.size(), n);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 16, 0U);
        for (const std::byte byte : bytes) EXPECT_EQ(byte, static_cast<std::byte>(n));
    }
    EXPECT_TRUE(pieces.at_end());
    EXPECT_FALSE(pieces.last());
    EXPECT_FALSE(pieces.next(count, bytes));
}

TEST(Pieces, OverwritingIsAnError) {
    const StealHeader header{.epoch = 7};
    std::vector<std::byte> message;
    for (const std::size_t size : {std::size_t{0}, std::size_t{40}, std::size_t{500}}) {
        begin_message(message, header);
        const std::size_t at = begin_piece(message, 1);
        message.assign(size, std::byte{0});
        EXPECT_THROW(end_piece(message, at, header), Error) << size;
    }
}

TEST(BufferPool, GivesTheSmallestThatIsLargeEnough) {
    BufferPool pool;
    for (const std::size_t size : {100U, 10000U, 1000U}) {
        auto buffer = std::make_unique<StealBuffer>();
        buffer->bytes.reserve(size);
        pool.put(std::move(buffer));
    }
    auto fits = pool.take(500);
    EXPECT_EQ(fits->bytes.capacity(), 1000U);
    auto largest = pool.take(0);
    EXPECT_EQ(largest->bytes.capacity(), 10000U);
    EXPECT_EQ(pool.take(500)->bytes.capacity(), 100U) << "it will grow";
}

TEST(BufferPool, KeepsNoMoreThanWasInUseAtOnce) {
    BufferPool pool;
    for (int execution = 0; execution < 5; ++execution) {
        for (std::size_t size = 1000; size <= 50000; size += 1000) {  // one at a time
            auto buffer = pool.take(size);
            buffer->bytes.resize(size);
            pool.put(std::move(buffer));
        }
        pool.trim();
        EXPECT_LE(pool.kept(), 100000U);
    }
    for (int execution = 0; execution < 10; ++execution) pool.trim();
    EXPECT_EQ(pool.kept(), 0U) << "not used any more";
}

}  // namespace
}  // namespace gimbal::mpi
