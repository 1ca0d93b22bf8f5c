// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "measure/recent_times.hpp"
#include "measure/record.hpp"

namespace gimbal {

/// Static against the incumbent, several executions in a row.
///
/// A thread that gets the same iterations in every execution, and in the loops around this one, finds their data in its
/// caches. One execution under static between two under another technique has to fetch what the others hold, and says
/// nothing about those that would follow. So static runs in a row, of which the last executions count, and the time
/// from one to the next as well: the loops around may have become faster or slower. A row that is clearly behind ends
/// early. One that proves nothing, or leads where static was behind before, is compared once more when the incumbent
/// has run again, and taken together with others of its kind. First looks at static, and the first executions of what
/// takes the title after them, are rows, too.
/// @threads the owner locks
/// @source derived (docs/decisions/0043, 0052, 0060, 0064, 0068); test: tests/unit/select/static_trial_test.cpp
class StaticTrial {
public:
    enum class Outcome : std::uint8_t { none, lost, won };

    /// Whether static runs now.
    [[nodiscard]] bool runs() const noexcept { return to_come_ > 0; }

    /// Whether begin() may do anything now: the rest need not be found out before.
    [[nodiscard]] bool may_begin() const noexcept;
    /// Begin, if what it is expected to cost is little beside the executions since the last one, or static was seen to
    /// take less time than the incumbent takes; but not where executions differ so much that no lead would show.
    /// @param loss   that static is expected to have, as a part of the incumbent's time; infinite: not known
    /// @param saved  of an execution under static if the loop is left [ticks]
    /// @param asked  somebody wants to know now, so it may cost more
    void begin(double loss, double saved, bool asked) noexcept;

    /// What an execution was.
    /// @param saved  as above
    /// @param work   that it had to do, to compare executions of different length; 0: its iterations
    /// @param behind  static was seen to be slower than this incumbent elsewhere
    Outcome observe(bool with_static, bool with_incumbent, const LoopRecord& record, double saved, double work = 0,
                    bool behind = false) noexcept;

    /// Time of static over the incumbent's as the last trial saw it; less than 1 only where it won. @pre lost or won
    [[nodiscard]] double ratio() const noexcept { return ratio_; }
    /// Its standard error.
    [[nodiscard]] double error() const noexcept { return error_; }

    /// What runs now says nothing: a row that is under way is given up, and the incumbent has to be seen anew.
    void break_off() noexcept;
    /// What was seen of static outside of rows is of a loop that may have become another one.
    void forget_looks() noexcept { look_count_ = 0; }
    /// Something else holds the loop now.
    void forget_incumbent() noexcept;

    void save(ByteWriter& to) const;
    void restore(ByteReader& from) noexcept;

private:
    /// Per work: the loop, and from its begin to its next begin.
    struct Seen {
        RecentTimes loop;
        RecentTimes turn;
        std::uint64_t loops = 0;
        std::uint64_t turns = 0;
    };
    static constexpr std::uint32_t kFirstWait = 16;  // executions
    enum class Counts : std::uint8_t { nowhere, incumbent, trial };
    /// With its standard error.
    struct Estimate {
        double value = 0;
        double error = 0;
    };
    /// Times per work that the incumbent takes.
    struct Held {
        Estimate loop;
        Estimate turn;  // 0: not known
    };
    [[nodiscard]] Outcome settle(double saved) noexcept;
    [[nodiscard]] Outcome settle_together(double saved) noexcept;
    [[nodiscard]] static bool leads(const Estimate& lead) noexcept;
    [[nodiscard]] Outcome decide(const Estimate& lead) noexcept;
    void forget_rows() noexcept;
    [[nodiscard]] Held held() const noexcept;
    /// Of static, as a part of the incumbent's time.
    [[nodiscard]] Estimate lead_over(const Held& incumbent, double saved) const noexcept;
    [[nodiscard]] Outcome compare_first(double saved) noexcept;
    [[nodiscard]] Outcome give_up(double time) noexcept;
    [[nodiscard]] bool nothing_saved(double time, double busy) const noexcept;
    [[nodiscard]] bool both_behind(double time, double saved) const noexcept;
    [[nodiscard]] bool compare_looks(double loss, double saved) noexcept;
    [[nodiscard]] double least_error() const noexcept;
    void ended() noexcept;

    Seen incumbent_;
    Seen trial_;
    RecentTimes busy_;   // mean time that threads are busy under the incumbent, per work
    RecentTimes looks_;  // static outside of trials, per work
    std::uint64_t look_count_ = 0;
    double look_busy_ = 0;          // the least mean time, per work, that its threads were busy there
    std::uint64_t last_begin_ = 0;  // of the execution before
    double last_work_ = 0;
    Counts last_ = Counts::nowhere;
    std::uint32_t since_ = 0;          // executions since the last trial
    std::uint32_t wait_ = kFirstWait;  // until the next one at the earliest
    std::uint8_t to_come_ = 0;         // executions of the trial
    std::uint8_t far_slower_ = 0;      // that were
    double ratio_ = 1;
    double error_ = 0;
    double lost_ = 0;       // in the last trial, as a part of the incumbent's time
    double loss_seen_ = 0;  // the largest lately
    // Rows that proved nothing: of the last one the incumbent before it and which of its executions came after it,
    Held before_;
    std::uint64_t compared_at_ = 0;  // 0: it was compared
    // and of all of them the sums of 1 / error^2, and of lead / error^2.
    double weight_ = 0;
    double weighed_lead_ = 0;
    bool promising_ = false;  // static leads in them
    bool behind_ = false;     // static was slower than this incumbent before
    bool first_compared_ = false;
    bool tells_nothing_ = false;                       // executions differ by so much
    std::uint64_t look_again_ = 0, median_again_ = 0;  // loops of the incumbent from which on
};

}  // namespace gimbal
