// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>
#include <utility>

#include "gimbal/file_identity.hpp"
#include "gimbal/hash.hpp"
#include "gimbal/launchers.h"
#include "node.hpp"

namespace gimbal::waiting {

namespace {

// Of each launcher what tells one start from others; outer launchers' are the same for all ranks of an inner one.
constexpr std::array kOfStart{
    "PMIX_NAMESPACE", "PMIX_SERVER_URI2", "PMIX_SERVER_URI3", "PMIX_SERVER_URI4", "OMPI_MCA_ess_base_jobid",
    "PMI_PORT",       "PMI_JOBID",        "PALS_APID",        "SLURM_JOB_ID",     "SLURM_STEP_ID",
    "SLURM_NODEID"};
#ifdef OPEN_MPI
constexpr bool kOpenMpi = true;
#else
constexpr bool kOpenMpi = false;
#endif

/// A descriptor that is closed in the end.
class File {
public:
    explicit File(int number) noexcept : number_(beyond_standard_streams(number)) {}
    ~File() {
        if (number_ >= 0) close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int number() const noexcept { return number_; }
    int give_up() noexcept { return std::exchange(number_, -1); }

private:
    int number_;
};

/// Of a socket's other end, or of the one that made a pair of them.
bool peer_of(int socket, ucred& peer) noexcept {
    socklen_t bytes = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0;
}

bool is_own_user(int socket) noexcept {
    ucred peer{};
    return peer_of(socket, peer) && peer.uid == getuid();
}

/// Hydra, Slurm and Flux: a pair of sockets, made by the process that has started the ranks of this node.
std::uint64_t starter() noexcept {
    if constexpr (kOpenMpi) return 0;  // what there is belongs to an outer launcher
    const char* const number = std::getenv("PMI_FD");
    ucred peer{};
    return number && peer_of(std::atoi(number), peer) && peer.pid > 0 ? static_cast<std::uint64_t>(peer.pid) : 0;
}

struct Name {
    sockaddr_un address{};
    socklen_t bytes = 0;
};

/// An abstract one: it goes with the socket.
Name name_of(std::uint64_t key) noexcept {
    Name name;
    name.address.sun_family = AF_UNIX;
    const int length =
        std::snprintf(name.address.sun_path + 1, sizeof name.address.sun_path - 1, "gimbal-waiting.%u.%016llx",
                      static_cast<unsigned>(getuid()), static_cast<unsigned long long>(key));
    name.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path)) + 1 + static_cast<socklen_t>(length);
    return name;
}

/// @return there is something to read, or somebody who connects
bool comes(int socket, std::uint64_t until_ns) noexcept {
    const std::uint64_t now = now_ns();
    if (now >= until_ns) return false;
    pollfd asked{.fd = socket, .events = POLLIN, .revents = 0};
    return poll(&asked, 1, static_cast<int>((until_ns - now) / 1000000) + 1) > 0;
}

/// One byte, and a descriptor with it.
struct Parcel {
    Parcel() noexcept {
        message.msg_iov = &content;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
    }
    Parcel(const Parcel&) = delete;
    Parcel& operator=(const Parcel&) = delete;

    char byte = 0;
    iovec content{.iov_base = &byte, .iov_len = 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
};

void send_file(int socket, int file) noexcept {
    Parcel parcel;
    cmsghdr* const header = CMSG_FIRSTHDR(&parcel.message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(header), &file, sizeof file);
    (void)sendmsg(socket, &parcel.message, MSG_NOSIGNAL);
}

int receive_file(int socket) noexcept {
    Parcel parcel;
    if (recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC) != 1) return -1;
    const cmsghdr* const header = CMSG_FIRSTHDR(&parcel.message);
    if (!header || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
    int file = -1;
    std::memcpy(&file, CMSG_DATA(header), sizeof file);
    return beyond_standard_streams(file);
}

/// This rank has the name: it makes the file, and gives it to all others that come in time.
int make_and_give(int listener, int others, std::size_t bytes, std::uint64_t until_ns) noexcept {
    File file(memfd_create("gimbal-waiting", MFD_CLOEXEC));
    if (file.number() < 0 || ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 || listen(listener, others) != 0)
        return -1;
    for (int given = 0; given < others && comes(listener, until_ns);) {
        const File other(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
        if (other.number() < 0 || !is_own_user(other.number())) continue;
        send_file(other.number(), file.number());
        ++given;
    }
    return file.give_up();
}

}  // namespace

Start this_start() noexcept {
    Start start{.key = hash_with(hash_with(kHashOfNothing, kLayout), starter()),
                .ranks = gimbal_ranks_of_node(kOpenMpi)};
    // Of each version, too: where cores are lent, libgimbal.so lays out a part.
    start.key = hash_of(GIMBAL_VERSION, start.key);
    bool known = starter() != 0;
    for (const char* const name : kOfStart) {
        const char* const value = std::getenv(name);
        if (!value) continue;
        known |= std::string_view(name) != "SLURM_JOB_ID" && std::string_view(name) != "SLURM_NODEID";
        start.key = hash_of(value, start.key);
    }
    if (!known) start.key = 0;
    return start;
}

int shared_file(const Start& start, std::size_t bytes, std::uint64_t until_ns) noexcept {
    const Name name = name_of(start.key);
    const auto* const address = reinterpret_cast<const sockaddr*>(&name.address);
    do {
        const File own(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (own.number() < 0) return -1;
        if (bind(own.number(), address, name.bytes) == 0)
            return make_and_give(own.number(), start.ranks - 1, bytes, until_ns);
        // Another one has the name, and may not listen yet.
        const File other(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (connect(other.number(), address, name.bytes) == 0 && is_own_user(other.number()) &&
            comes(other.number(), until_ns)) {
            const int file = receive_file(other.number());
            if (file >= 0) return file;
        }
        const timespec pause{.tv_sec = 0, .tv_nsec = 1000000};
        nanosleep(&pause, nullptr);
    } while (now_ns() < until_ns);
    return -1;
}

}  // namespace gimbal::waiting
