#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# libfdt for arm64, out of the distribution's package, unpacked into a folder of the build: nothing
# is installed, and it needs no root.
#
#   tools/fetch_libfdt.sh FOLDER       FOLDER/{libfdt.a,libfdt.h,fdt.h}
set -eu

folder=$1
[ -e "$folder/libfdt.a" ] && exit 0

for tool in apt-get dpkg-deb; do
    command -v $tool > /dev/null || {
        echo "libfdt: $tool is missing; put libfdt.a (arm64), libfdt.h and fdt.h into $folder" >&2
        exit 2
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(-q -o APT::Architecture=arm64 -o "APT::Architectures::=arm64" -o Debug::NoLocking=1
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
get() { apt-get "${options[@]}" "$@" >> "$work/log" 2>&1; }
cd "$work"
if ! { get update && get download libfdt-dev; }; then
    tail -n 5 log >&2
    echo "libfdt: the package libfdt-dev for arm64 cannot be downloaded" >&2
    exit 2
fi
dpkg-deb -x libfdt-dev_*.deb unpacked
cd - > /dev/null
mkdir -p "$folder"
cp "$work"/unpacked/usr/include/{fdt.h,libfdt.h} "$folder"
cp "$work"/unpacked/usr/lib/aarch64-linux-gnu/libfdt.a "$folder"
