#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The bitmap font of the screen console, out of the distribution's package console-setup-linux (its
# fonts are in the public domain): the system's where the package is installed, else unpacked from
# a download, since installing it would have the machine set its own console at every start.
#
#   tools/fetch_font.sh FILE           FILE is an 8×16 font, PSF, compressed
set -eu

file=$1
installed=/usr/share/consolefonts/Lat15-Fixed16.psf.gz
[ -e "$file" ] && exit 0
mkdir -p "$(dirname "$file")"
if [ -e $installed ]; then
    cp $installed "$file"
    exit 0
fi

for tool in apt-get dpkg-deb; do
    command -v $tool > /dev/null || {
        echo "font: $tool is missing; put an 8x16 PSF font, compressed with gzip, into $file" >&2
        exit 2
    }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
cd "$work"
# The system's own lists first; without any, lists of our own.
if ! apt-get -q -o APT::Sandbox::User=root download console-setup-linux > log 2>&1; then
    options=(-q -o Debug::NoLocking=1 -o Dir::State::Lists="$work/lists"
        -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root)
    if ! { apt-get "${options[@]}" update && apt-get "${options[@]}" download console-setup-linux; } \
        >> log 2>&1; then
        tail -n 5 log >&2
        echo "font: the package console-setup-linux cannot be downloaded" >&2
        exit 2
    fi
fi
dpkg-deb -x console-setup-linux_*.deb unpacked
cd - > /dev/null
cp "$work/unpacked$installed" "$file"
