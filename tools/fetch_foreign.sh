#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A package of the distribution for another architecture, unpacked into a folder of the build:
# nothing is installed, and it needs no root.
#
#   tools/fetch_foreign.sh ARCHITECTURE PACKAGE FOLDER
set -eu

architecture=$1 package=$2 folder=$3

for tool in apt-get dpkg-deb; do
    command -v $tool > /dev/null || {
        echo "fetch: $tool is missing; unpack the package $package for $architecture into $folder" >&2
        exit 2
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(-q -o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture"
    -o Debug::NoLocking=1 -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache"
    -o APT::Sandbox::User=root)
get() { apt-get "${options[@]}" "$@" >> "$work/log" 2>&1; }
cd "$work"
if ! { get update && get download "$package"; }; then
    tail -n 5 log >&2
    echo "fetch: the package $package for $architecture cannot be downloaded" >&2
    exit 2
fi
cd - > /dev/null
mkdir -p "$folder"
dpkg-deb -x "$work/$package"_*.deb "$folder"
