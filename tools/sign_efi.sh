#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Signs EFI applications for Secure Boot.
#
#   tools/sign_efi.sh KEY CERTIFICATE FOLDER FILE…      FOLDER gets a signed copy of each FILE
#
# KEY and CERTIFICATE are PEM; the certificate, or the one that it was issued by, must be among the
# firmware's (db), or the machine's owner (MOK).
set -eu

key=${1:-} certificate=${2:-} folder=${3:-}
if [ $# -lt 4 ] || [ -z "$key" ] || [ -z "$certificate" ]; then
    echo "usage: tools/sign_efi.sh KEY CERTIFICATE FOLDER FILE... (make sign KEY=... CERT=...)" >&2
    exit 2
fi
shift 3
for file in "$key" "$certificate" "$@"; do
    [ -r "$file" ] || {
        echo "sign_efi: $file cannot be read" >&2
        exit 2
    }
done
command -v sbsign > /dev/null || {
    echo "sign_efi: sbsign is missing; it is in the package sbsigntool" >&2
    exit 2
}
mkdir -p "$folder"
for file in "$@"; do
    sbsign --key "$key" --cert "$certificate" --output "$folder/$(basename "$file")" "$file"
done
