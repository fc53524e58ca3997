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

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
architecture=$(dpkg --print-architecture 2> /dev/null || echo amd64) # the package is for all
"$(dirname "$0")/fetch_foreign.sh" "$architecture" console-setup-linux "$folder" || {
    echo "font: or put an 8x16 PSF font, compressed with gzip, into $file" >&2
    exit 2
}
cp "$folder$installed" "$file"
