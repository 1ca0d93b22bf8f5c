#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fetch_llvm.sh FOLDER: LLVM 19.1.7's openmp/ and cmake/ from Debian's source package, checked by SHA-256, into FOLDER,
# which is made, or is empty. Uses apt with settings of its own: the machine's package sources stay as they are.
set -euo pipefail

target=${1%/}
package=llvm-toolchain-19
archive=${package}_19.1.7.orig.tar.xz
sha256=ae498f3bc58ae2d9f64ef5f0c035c4240152bf015a5b7738b15c22e93bdc97ce
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

fail() {
    echo "fetch_llvm: error: $1" >&2
    echo "        Or unpack openmp/ and cmake/ of LLVM 19.1.7 somewhere and set DEV_LLVM_SOURCE to that folder." >&2
    exit 1
}

[ ! -e "$target" ] || rmdir "$target" 2>/dev/null || fail "$target is there and not empty: remove it, and start again"
command -v apt-get >/dev/null || fail "this is not a Debian system"
work=$(mktemp -d)
new=
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

# The Debian archives that this machine already uses, as sources of source packages.
apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v key="$keyring" '$1 == "Debian" && $4 == "main" { print "deb-src [signed-by=" key "] " $2 " " $3 " main" }' |
    sort -u >"$work/sources.list"
[ -s "$work/sources.list" ] || fail "no Debian archive is configured (is 'apt-get update' needed?)"

apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=)
echo "fetch_llvm: fetching $archive (164 MB)"
"${apt[@]}" update || fail "the package lists of Debian's sources cannot be read"
(cd "$work" && "${apt[@]}" source --download-only --only-source "$package") ||
    fail "the source package $package cannot be fetched"
[ -e "$work/$archive" ] || fail "Debian's $package is no longer version 19.1.7"
echo "$sha256  $work/$archive" | sha256sum --check --quiet || fail "$archive does not have the expected SHA-256"

tar -C "$work" -xf "$work/$archive" --wildcards 'llvm-toolchain-19_19.1.7/openmp' 'llvm-toolchain-19_19.1.7/cmake'
# In one step, and beside it: it may be on another file system.
mkdir -p "$(dirname "$target")"
new=$(mktemp -d "$target.XXXXXX")
mv "$work/llvm-toolchain-19_19.1.7" "$new/llvm"
mv -T "$new/llvm" "$target" || fail "$target cannot be made"
echo "fetch_llvm: $target"
