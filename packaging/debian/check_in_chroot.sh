#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_in_chroot.sh FOLDER [ROOT]: install the Debian packages of FOLDER into a fresh Debian 12, run programs in C, C++,
# Fortran and MPI under Gimbal there, and remove the packages again. Needs root, debootstrap and Debian's archive, which
# is taken from where this machine takes its packages. ROOT is made and removed; it must not exist.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '3,5s/^# //p' "$0" >&2; exit 2; }
packages=$(readlink -f "$1")
root=${2:-$(mktemp -du /var/tmp/gimbal-chroot-XXXXXX)}
[ ! -e "$root" ] || { echo "error: $root exists" >&2; exit 2; }
ls "$packages"/libgimbal_*.deb >/dev/null

cleanup() {
    local mounted
    for mounted in dev/shm proc; do
        ! mountpoint -q "$root/$mounted" || umount "$root/$mounted"
    done
    rm -rf --one-file-system "$root"
}
trap cleanup EXIT

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

# The first archive of this machine that has Debian 12.
archive=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 2>/dev/null |
    awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
[ -n "$archive" ] || { echo "error: this machine knows no archive of Debian 12 (bookworm)" >&2; exit 2; }
debootstrap --variant=minbase bookworm "$root" "$archive" >"$root.log" 2>&1 || { tail -5 "$root.log" >&2; exit 1; }
rm -f "$root.log"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp -f /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"

mkdir "$root/packages" "$root/work"
cp "$packages"/*.deb "$root/packages/"
inside apt-get update -qq
inside sh -c 'apt-get install -y -qq --no-install-recommends gcc g++ gfortran mpich libmpich-dev /packages/libgimbal_*.deb \
    /packages/gimbal-tools_*.deb /packages/libgimbal-mpich_*.deb /packages/libgimbal-dev_*.deb >/dev/null'

cat >"$root/work/loop.c" <<'END'
#include <stdio.h>
int main(void) {
    long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    printf("sum %ld\n", sum);
    return 0;
}
END
sed 's/<stdio.h>/<cstdio>/' "$root/work/loop.c" >"$root/work/loop.cpp"
cat >"$root/work/loop.f90" <<'END'
program loop
  integer :: i, total
  total = 0
  !$omp parallel do schedule(runtime) reduction(+:total)
  do i = 0, 999
    total = total + i
  end do
  print '(a,i0)', 'sum ', total
end program
END
cat >"$root/work/ranks.c" <<'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
    long sum = 0, all = 0;
    MPI_Init(&argc, &argv);
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += i;
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("sum %ld\n", all / 2);
    MPI_Finalize();
    return 0;
}
END
cat >"$root/work/linked.c" <<'END'
#include <gimbal/gimbal.h>
#include <stdio.h>
int main(void) { return puts("linked") < 0; }
END
inside sh -ec 'cd /work
    gcc -g -fopenmp loop.c -o c && g++ -g -fopenmp loop.cpp -o cpp && gfortran -g -fopenmp loop.f90 -o fortran
    mpicc.mpich -g -fopenmp ranks.c -o ranks
    gcc linked.c -lgimbal -o linked'
checked=0
# try WORDS...: the program's sum is right, and the report names its loop.
try() {
    local said
    said=$(inside sh -c 'cd /work && "$@" 2>&1' sh "$@")
    if ! grep -q '^sum 499500$' <<<"$said" || ! grep -q 'loop\|ranks\.c' <<<"$(grep fac2 <<<"$said")"; then
        echo "failed: $*" >&2
        echo "$said" >&2
        exit 1
    fi
    checked=$((checked + 1))
    echo "ok: $*"
}
for program in c cpp fortran; do try gimbal run -t 2 --schedule fac2 -- "./$program"; done
try gimbal run -n 2 -t 1 --schedule fac2 -- ./ranks
try env GIMBAL_SCHEDULE=fac2 gimbal-preload ./c
inside /work/linked >/dev/null
inside sh -ec 'test -s /usr/share/man/man1/gimbal-run.1.gz; gimbal report --html /work/x.html /dev/null 2>/dev/null && exit 1
    test -s /usr/share/bash-completion/completions/gimbal'
inside sh -ec 'apt-get remove --purge -y -qq libgimbal gimbal-tools >/dev/null
    ! dpkg -l | grep -q "^ii.*gimbal"; test ! -e /usr/bin/gimbal; test ! -e /usr/lib/x86_64-linux-gnu/gimbal'
echo "RESULT {\"deb_install_ok\": 1, \"programs\": $checked}"
