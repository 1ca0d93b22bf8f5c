// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "messages.hpp"
#include "program_mpi.hpp"
#include "wrapped_call.hpp"

#include <array>
#include <atomic>
#include <tuple>
#include <type_traits>

// Parameter and argument lists of n words, which the preprocessor cannot count by itself.

#define GIMBAL_PARAMETERS_0
#define GIMBAL_PARAMETERS_1 Word a
#define GIMBAL_PARAMETERS_2 GIMBAL_PARAMETERS_1, Word b
#define GIMBAL_PARAMETERS_3 GIMBAL_PARAMETERS_2, Word c
#define GIMBAL_PARAMETERS_4 GIMBAL_PARAMETERS_3, Word d
#define GIMBAL_PARAMETERS_5 GIMBAL_PARAMETERS_4, Word e
#define GIMBAL_PARAMETERS_6 GIMBAL_PARAMETERS_5, Word f
#define GIMBAL_PARAMETERS_7 GIMBAL_PARAMETERS_6, Word g
#define GIMBAL_PARAMETERS_8 GIMBAL_PARAMETERS_7, Word h
#define GIMBAL_PARAMETERS_9 GIMBAL_PARAMETERS_8, Word i
#define GIMBAL_PARAMETERS_10 GIMBAL_PARAMETERS_9, Word j
#define GIMBAL_PARAMETERS_11 GIMBAL_PARAMETERS_10, Word k
#define GIMBAL_PARAMETERS_12 GIMBAL_PARAMETERS_11, Word l
#define GIMBAL_PARAMETERS_13 GIMBAL_PARAMETERS_12, Word m

#define GIMBAL_ARGUMENTS_0
#define GIMBAL_ARGUMENTS_1 a
#define GIMBAL_ARGUMENTS_2 GIMBAL_ARGUMENTS_1, b
#define GIMBAL_ARGUMENTS_3 GIMBAL_ARGUMENTS_2, c
#define GIMBAL_ARGUMENTS_4 GIMBAL_ARGUMENTS_3, d
#define GIMBAL_ARGUMENTS_5 GIMBAL_ARGUMENTS_4, e
#define GIMBAL_ARGUMENTS_6 GIMBAL_ARGUMENTS_5, f
#define GIMBAL_ARGUMENTS_7 GIMBAL_ARGUMENTS_6, g
#define GIMBAL_ARGUMENTS_8 GIMBAL_ARGUMENTS_7, h
#define GIMBAL_ARGUMENTS_9 GIMBAL_ARGUMENTS_8, i
#define GIMBAL_ARGUMENTS_10 GIMBAL_ARGUMENTS_9, j
#define GIMBAL_ARGUMENTS_11 GIMBAL_ARGUMENTS_10, k
#define GIMBAL_ARGUMENTS_12 GIMBAL_ARGUMENTS_11, l
#define GIMBAL_ARGUMENTS_13 GIMBAL_ARGUMENTS_12, m

namespace gimbal::waiting {

/// A function that is looked up when it is first called.
class Next {
public:
    /// @param name  a string literal
    constexpr explicit Next(const char* name) noexcept : name_(name) {}

    /// Call it. @return MPI_ERR_INTERN where there is none  @errors what the program's handlers of errors throw
    template <class... Words>
    int operator()(const void* caller, Words... words) {
        // Relaxed: a function does not change, and two threads find the same.
        void* found = found_.load(std::memory_order_relaxed);
        if (!found) found_.store(found = next_function(name_, caller), std::memory_order_relaxed);
        return found ? reinterpret_cast<int (*)(Words...)>(found)(words...) : MPI_ERR_INTERN;
    }

private:
    const char* name_;
    std::atomic<void*> found_{nullptr};
};

/// The calls by which a blocking message is sent or received in two steps, in one language.
struct TwoSteps {
    Next isend, issend, irsend, irecv, wait;
};

/// What a call has returned. @param error  Fortran's last word, where it stands; none in C
template <class... Ending>
int outcome(int code, Ending... error) noexcept {
    if constexpr (sizeof...(error) != 0) ((code = *reinterpret_cast<const MPI_Fint*>(error)), ...);
    return code;
}

/// A blocking message call as one that does not block and a wait, so that this rank can sleep in between.
/// @tparam Ending  Fortran's last word, where errors go; none in C
template <Language language, class... Ending>
int in_two_steps(CallId id, WrappedCall& call, TwoSteps& steps, const void* caller, const Word* w, Ending... error) {
    using Request = std::conditional_t<language == Language::c, MPI_Request, MPI_Fint>;
    // Fortran's statuses are no larger; what nobody asked for goes there.
    std::array<MPI_Status, 2> ignored{};
    std::array<Request, 2> requests{};
    const auto address = [](auto& object) { return reinterpret_cast<Word>(&object); };
    const auto wait = [&](std::size_t request, Word status) {
        [[maybe_unused]] const QuietErrors quiet;
        return outcome(steps.wait(caller, address(requests[request]), status, error...), error...);
    };
    const Kind kind = row_of(id).kind;
    if (kind == Kind::send) {
        Next& post = id == CallId::Ssend ? steps.issend : id == CallId::Rsend ? steps.irsend : steps.isend;
        const int code =
            outcome(post(caller, w[0], w[1], w[2], w[3], w[4], w[5], address(requests[0]), error...), error...);
        if (code != MPI_SUCCESS) return code;
        call.wake_partner(3);
        call.sleep_for(requests.data(), 1);
        const int sent = wait(0, address(ignored[0]));
        return sent == MPI_SUCCESS ? sent : call.failed(sent);
    }
    const bool both = kind == Kind::exchange;
    const Word* const in = both ? w + 5 : w;
    const Word comm = both ? w[10] : w[5], status = both ? w[11] : w[6];
    const auto send_to = [&](Word rank) {
        return outcome(steps.isend(caller, w[0], w[1], w[2], rank, w[4], comm, address(requests[1]), error...),
                       error...);
    };
    int code = MPI_SUCCESS;
    if (both) {
        // A send that MPI refuses must leave no receive behind, which would take the next message. So the same goes to
        // nobody first.
        MPI_Fint nobody = MPI_PROC_NULL;
        code = send_to(language == Language::c ? Word{nobody} : address(nobody));
        if (code == MPI_SUCCESS) code = wait(1, address(ignored[1]));
        if (code != MPI_SUCCESS) return code;
    }
    code =
        outcome(steps.irecv(caller, in[0], in[1], in[2], in[3], in[4], comm, address(requests[0]), error...), error...);
    if (code != MPI_SUCCESS) return code;
    if (both) {
        code = send_to(w[3]);
        if (code != MPI_SUCCESS) return code;
        call.wake_partner(3);
    }
    call.wake_partner(both ? 8 : 3);
    call.sleep_for(requests.data(), both ? 2 : 1);
    code = wait(0, status);
    const int sent = both ? wait(1, address(ignored[1])) : MPI_SUCCESS;
    if (code == MPI_SUCCESS) code = sent;
    ((*reinterpret_cast<MPI_Fint*>(error) = code), ...);
    return code == MPI_SUCCESS ? code : call.failed(code);
}

/// What every wrapper does. @param words  the arguments as in C  @param error  Fortran's last word; none in C
/// @errors what the program's handlers of errors throw
template <CallId id, Language language, class... Ending, class... Words>
int wrap(Next& next, TwoSteps* steps, const void* caller, const void* frame, std::tuple<Ending...> error,
         Words... words) {
    constexpr Kind kKind = row_of(id).kind;
    const auto program = [&] {
        return std::apply([&](auto... last) { return next(caller, words..., last...); }, error);
    };
    if (!is_looked_at(kKind)) return program();
    const std::array<Word, sizeof...(words)> all{words...};
    if (is_inside(frame) && (is_library(caller) || is_inside_indeed())) {
        if (is_library(caller)) return program();
        WrappedCall call(id, language, all.data(), caller, frame);
        call.before_inside();
        const int code = program();
        call.after_inside();
        return code;
    }
    constexpr bool kTwoSteps = kKind == Kind::send || kKind == Kind::receive || kKind == Kind::exchange;
    MPI_Fint own_error = MPI_SUCCESS;  // in mpi_f08 a program may leave it out
    if constexpr (sizeof...(Ending) != 0 && (kTwoSteps || is_collective(kKind)))
        if (std::get<0>(error) == 0) std::get<0>(error) = reinterpret_cast<Word>(&own_error);
    WrappedCall call(id, language, all.data(), caller, frame);
    call.before();
    int code = MPI_SUCCESS;
    if constexpr (kTwoSteps) {
        code = g_mode.elastic.load(std::memory_order_relaxed) && call.can_take_two_steps()
                   ? std::apply(
                         [&](auto... last) {
                             return in_two_steps<language>(id, call, *steps, caller, all.data(), last...);
                         },
                         error)
                   : program();
    } else {
        code = program();
    }
    if constexpr (is_collective(kKind)) {
        const bool success = std::apply([&](auto... last) { return outcome(code, last...); }, error) == MPI_SUCCESS;
        if (!success) call.note_failure();
        call.after();
        if constexpr (kKind == Kind::creation) call.note_creation(success);
    } else {
        call.after();
    }
    return code;
}

/// MPI begins or ends. @param success  of a Fortran call, where its error word says so
template <class... Words>
int wrap_init(Next& next, const void* caller, const void* frame, Words... words) {
    if (is_inside(frame)) return next(caller, words...);
    const Inside inside(frame);
    const int code = next(caller, words...);
    begin(caller);
    return code;
}

template <class... Words>
int wrap_finalize(Next& next, const void* caller, const void* frame, Words... words) {
    if (is_inside(frame)) return next(caller, words...);
    end();
    const Inside inside(frame);
    return next(caller, words...);
}

}  // namespace gimbal::waiting
