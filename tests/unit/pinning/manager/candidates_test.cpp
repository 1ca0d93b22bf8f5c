// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that the kernel lists and the registry does not: which of them are named, and when.
#include "manager/candidates.hpp"

#include <gmock/gmock.h>

#include <sys/types.h>

#include <thread>
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

TEST_F(Unknown, is_found_at_the_second_look) {
    const test::Repeating other(test::nap);
    EXPECT_THAT(look(false), Not(Contains(other.tid())));
    EXPECT_THAT(look(false), Contains(other.tid()));
}

TEST_F(Unknown, is_nobody_who_gets_no_processor_before_the_second_look) {
    registry_.expect();
    const test::Repeating other(test::nap);
    for (int i = 0; i < 3; ++i) EXPECT_THAT(look(false), IsEmpty()) << "this may be the one";
    registry_.arrived();
    EXPECT_THAT(look(false), Contains(other.tid()));
}

TEST_F(Unknown, is_found_though_threads_are_made_all_the_time) {
    registry_.expect();
    const test::Repeating other(test::nap);
    bool found = false;
    for (int i = 0; i < 30 && !found; ++i) found = testing::Value(look(false), Contains(other.tid()));
    EXPECT_TRUE(found) << "it would keep the mask that it inherited";
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

// More threads than the registry keeps end between two looks. The one in question is the last but one of them.
TEST_F(Unknown, is_nobody_who_is_ending_among_thousands) {
    const auto end_one = [&] { registry_.end(*registry_.add_self(false)); };
    for (int i = 0; i < 4095; ++i) std::thread(end_one).join();
    const test::Repeating ending(test::nap, end_one);
    std::thread(end_one).join();
    EXPECT_THAT(look(), Not(Contains(ending.tid())));
}

}  // namespace
}  // namespace gimbal::pin
