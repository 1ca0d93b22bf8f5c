#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# release.sh VERSION: make a release of what is committed: the version in CMakeLists.txt and where packaging/ names it,
# the changelog's heading, a commit, the tag vVERSION, and in build/release-VERSION an archive of the sources, Debian
# packages and their checksums. Nothing is sent anywhere. GIMBAL_RELEASE_PACKAGES=no leaves the packages out.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."

fail() {
    echo "release: error: $1" >&2
    echo "        $2" >&2
    exit 2
}

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "\"$version\" is not a version" "example: ./dev release 0.2.0"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed" "commit or stash them first"
! git rev-parse -q --verify "refs/tags/v$version" >/dev/null || fail "the tag v$version is there already" "take the next version"
grep -q '^## \[Unreleased\]$' CHANGELOG.md || fail "CHANGELOG.md has no section [Unreleased]" "say there what has changed"
old=$(sed -n 's/^project(gimbal VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)

sed -i "s/^project(gimbal VERSION $old /project(gimbal VERSION $version /" CMakeLists.txt
sed -i "s/^    version(\"$old\")/    version(\"$version\")/" packaging/spack/packages/gimbal/package.py
sed -i "s/^    version=$old\$/    version=$version/" packaging/apptainer/gimbal.def
# What stood under Unreleased becomes this version; the line that says so goes.
sed -i -e "/^Becomes [0-9.]*\.\$/d" \
    -e "s/^## \[Unreleased\]\$/## [Unreleased]\n\n## [$version] - $(date -u +%Y-%m-%d)/" CHANGELOG.md
sed -i '/./,/^$/!d' CHANGELOG.md
git diff --quiet -- CMakeLists.txt && [ "$old" != "$version" ] && fail "the version in CMakeLists.txt did not change" "see project()"
git commit -qam "Version $version"
git tag -a "v$version" -m "Gimbal $version"

folder=build/release-$version
rm -rf "$folder"
mkdir -p "$folder"
git archive --prefix "gimbal-$version/" "v$version" | gzip -9n >"$folder/gimbal-$version.tar.gz"
if [ "${GIMBAL_RELEASE_PACKAGES:-yes}" != no ]; then
    ./dev packages
    cp build/packages/*.deb "$folder/"
fi
(cd "$folder" && sha256sum -- * >SHA256SUMS)
echo "made $folder and the tag v$version; to publish: git push --follow-tags"
