// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "measure/record.hpp"
#include "select/rare_losses.hpp"
#include "select/selector.hpp"

namespace gimbal {

/// Whether a loop is too short to gain anything here, so that it is better left to the OpenMP runtime's own static
/// schedule. Static runs a few times; what its threads wait for each other at the end is all that any technique can
/// save. If that is less than the way into and out of the loop takes here, the loop is left for a while, by time and
/// not by count, and static runs once more when that is over; the while doubles as long as nothing has changed,
/// up to a tenth of a second, or longer where so many loops are left that looks would take more than a thousandth. A
/// longer loop is left for some executions, whatever lies between them.
/// @threads the owner locks
/// @source derived; test: tests/unit/select/leaving_test.cpp
class Leaving {
public:
    /// Have static run now, if it is to be seen what it loses; what that is expected to take is noted for observe().
    /// @param context  can_leave is set  @return whether static runs
    [[nodiscard]] bool begin_look(const LoopContext& context) noexcept;

    /// Whether the loop has to be balanced now: something else uses its cores, and gets one for a time slice each time
    /// that a thread waits for another. @param time_s  of an execution; 0: not known
    [[nodiscard]] bool must_be_balanced(double time_s, const LoopContext& context) const noexcept;

    /// How long the loop is to be left [ticks]; 0: it is not. The caller leaves it.
    /// @param tick_s  length of a tick [s]
    /// @param loops   that are left in this process, and looked at again [count]
    /// @param apart   from one execution to the next, the last time that it was left [ticks]; 0: it was not
    [[nodiscard]] double leave(double tick_s, std::uint32_t loops = 1, double apart = 0) noexcept;

    /// The same for a loop that was never looked at, as short as the loops around it. [s]
    [[nodiscard]] static double unseen_for_s(std::uint32_t loops) noexcept;

    /// What an execution was.
    /// @param with_static  it was static's  @param static_holds  nothing else was found to be faster
    void observe(bool with_static, bool static_holds, const LoopRecord& record, const LoopContext& context) noexcept;

    /// What an execution would take less if the loop were left [ticks].
    /// @param loop_time  of one like it [ticks]
    [[nodiscard]] double saved_by_leaving(double loop_time, const LoopContext& context) const noexcept;

    /// The same when the loop has run for a while: first executions take longer in and out than those that follow.
    [[nodiscard]] double saved_later(double loop_time, const LoopContext& context) const noexcept;

    /// Static takes less time than anything else that was tried: what its threads wait for is accepted from here on.
    /// @param whatever  also if that is much, unless leaving the loop would save nothing of that: several were tried
    void accept(bool whatever) noexcept;

    /// The same, and the loop is left, if they do not wait for much.
    void prefer() noexcept;

    /// Something takes less time than static: it is not left, unless static loses less than it does now.
    void keep() noexcept {
        trust();
        state_ = State::kept;
        waits_ = -1;
    }

    /// Whether looks saw much to be lost in few executions: the loop is not left until something robust was tried.
    [[nodiscard]] bool doubts() const noexcept { return doubts_; }
    /// What they saw [ticks].
    [[nodiscard]] const LossSums& looks() const noexcept { return looks_; }
    /// Nothing loses less there: the loop may be left again.
    void trust() noexcept {
        if (doubts_) state_ = State::looking;
        good_ = bad_ = 0;
        doubts_ = false;
        looks_ = {};
    }

    /// A longer loop may be left, too: its profile says that static would lose nothing. Once, and only one that feels
    /// what it costs to be looked after. @param time_s  of an execution
    void invite(double time_s) noexcept;
    [[nodiscard]] bool invited() const noexcept { return invited_; }

    /// Whether guided may be better here: static was seen to lose more than leaving the loop to it would save, and the
    /// loop is so short that what measuring its costs takes would be felt, or loses too little for that.
    [[nodiscard]] bool worth_guided() const noexcept;

    /// Whether the first of static's blocks took its share of the time at most, whenever it was seen: then a technique
    /// that begins with so large a chunk does not have all others wait for that.
    [[nodiscard]] bool first_block_is_light() const noexcept { return first_block_is_light_; }

    /// Whether static, while not good enough to leave the loop to it, loses so little that others must beat it.
    [[nodiscard]] bool static_is_good() const noexcept { return static_is_good_; }

    /// The same for another trip count: what is left at one length is probably left at all, after one look.
    [[nodiscard]] Leaving for_other_length() const noexcept;

    /// For a later run: a loop that is left is left there from its first execution on, for a while. Then it looks.
    void save(ByteWriter& to) const;
    /// That while, half as long as the last one; 0: it is not left [s]. In [0, kMaxPeriod_s].
    [[nodiscard]] double left_for_s() const noexcept;
    void restore(ByteReader& from) noexcept;

    /// A loop is left for at most so long: an hour [s]. What reads saved times must take all up to there.
    static constexpr double kMaxPeriod_s = 3600;

private:
    void note_look(const LoopRecord& record) noexcept;
    void note_last(const LoopRecord& record) noexcept;
    [[nodiscard]] double longest_left_s() const noexcept;
    [[nodiscard]] double accepted(double time_s, std::uint32_t workers) const noexcept;

    enum class State : std::uint8_t {
        unknown,  // no execution was seen
        looking,  // static runs, to see
        left,     // looked at again when the time is over
        kept      // there is something to gain
    };
    State state_ = State::unknown;
    std::uint8_t good_ = 0;  // looks at which static lost nothing
    std::uint8_t bad_ = 0;   // and at which it did
    bool static_is_good_ = false;
    bool first_block_is_light_ = true;
    bool invited_ = false;
    bool first_was_long_ = false;  // the first execution, and no other was seen
    bool was_cold_ = false;        // it was long, and the second was not
    bool by_turns_ = false;        // now one thread is late under static, now another
    std::uint32_t late_ = 0;       // worker that the others waited for in the last look that was bad, and 1; 0: none
    bool other_length_ = false;    // what an iteration takes was seen at another trip count, once
    double time_s_ = 0;            // of the last execution under static
    double least_s_ = 0;           // that an iteration took in a look that was bad
    double expected_s_ = 0;        // that an execution takes, before any was seen; 0: not known
    double good_at_s_ = 0;         // of the longest execution at which static was good
    double period_s_ = 0;          // that it was left for last
    double waits_ = -1;            // part of the time that threads wait where static has won all the same; < 0: none
    double last_wait_ = -1;        // the same in the last execution under static; < 0: unknown
    LossSums looks_;               // first looks after it had been left
    bool was_left_ = false;        // until now
    bool doubts_ = false;          // few of them lost much: what holds the loop is compared with something robust first
    bool promised_ = false;        // waits_ is of an earlier run, and no look of this one has confirmed it
};

}  // namespace gimbal
