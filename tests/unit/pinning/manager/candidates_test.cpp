// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that the kernel lists and the registry does not: which of them are named, and when.
#include "manager/candidates.hpp"

#include <gmock/gmock.h>

#include <sys/types.h>

#include <vector>

#include "support.hpp"

namespace gimbal::pin {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

// Whatever else the process may have: threads of the test before may still be ending.
class Unknown : public testing::Test {
protected:
    /// What one look finds. @param last  there is no other one
    [[nodiscard]] std::vector<pid_t> look(bool last = true) {
        std::vector<pid_t> found;
        candidates_.find_unknown(registry_, self_.tid(), last, [&](pid_t tid) { found.push_back(tid); });
        return found;
    }

    Registry registry_;
    std::vector<LeftAlone> left_alone_;
    Candidates candidates_{0.02, left_alone_};
    test::Repeating self_{test::nap};  ///< stands for the manager's
};

TEST_F(Unknown, is_found_once) {
    const test::Repeating other(test::nap);
    EXPECT_THAT(look(), Contains(other.tid()));
    EXPECT_FALSE(left_alone_.empty());
    EXPECT_THAT(look(), Not(Contains(other.tid())));
}

TEST_F(Unknown, waits_while_somebody_is_still_to_add_himself) {
    registry_.expect();
    const test::Repeating other(test::nap);
    EXPECT_THAT(look(), IsEmpty()) << "this may be the one";
    registry_.arrived();
    EXPECT_THAT(look(), Contains(other.tid()));
}

TEST_F(Unknown, is_found_at_the_second_look_though_threads_are_made_all_the_time) {
    registry_.expect();
    const test::Repeating other(test::nap);
    EXPECT_THAT(look(false), Not(Contains(other.tid())));
    EXPECT_THAT(look(false), Contains(other.tid())) << "it would keep the mask that it inherited";
}

TEST_F(Unknown, is_nobody_who_was_known_and_is_ending) {
    RecordPointer record;
    const test::Repeating ending(test::nap, [&] {
        record = registry_.add_self(false);
        registry_.end(*record);
    });
    EXPECT_EQ(registry_.size(), 0U);
    EXPECT_THAT(look(), Not(Contains(ending.tid()))) << "the kernel still lists it";
}

}  // namespace
}  // namespace gimbal::pin
