#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a file system of FAT with files in it, or puts files into one that is there.
#
#   tools/make_fat.sh [-s MIB] IMAGE[@@OFFSET] [NAME=FILE…]
#
# With -s the image is made new: FAT32, which is what firmware reads everywhere, from 40 MiB on. A NAME is a path with slashes; folders are made as needed. A FILE of
# "-" is standard input.
set -eu

bytes_mib=''
if [ "${1:-}" = -s ]; then
    bytes_mib=$2
    shift 2
fi
image=${1:?usage: tools/make_fat.sh [-s MIB] IMAGE[@@OFFSET] [NAME=FILE...]}
shift

command -v mformat > /dev/null || {
    echo "make_fat: mformat is missing; it is in the package mtools (make deps)" >&2
    exit 2
}
export MTOOLS_SKIP_CHECK=1 MTOOLSRC=/dev/null

if [ -n "$bytes_mib" ]; then
    truncate -s 0 "$image"
    truncate -s "${bytes_mib}M" "$image"
    kind=()
    [ "$bytes_mib" -lt 40 ] || kind=(-F -c 1)
    # The serial number is part of the image, which so depends on what is in it alone.
    mformat -i "$image" -v CORESTORM -N 43524553 ${kind[@]+"${kind[@]}"} -T $((bytes_mib * 2048)) -h 64 -s 32 ::
fi
for pair in "$@"; do
    name=${pair%%=*} folder=''
    while [[ $name == */* ]]; do
        folder=$folder/${name%%/*}
        name=${name#*/}
        mmd -i "$image" -D s "::$folder" > /dev/null 2>&1 || true
    done
    mcopy -i "$image" -D o "${pair#*=}" "::$folder/$name"
done
