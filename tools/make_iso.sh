#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a bootable image with GRUB for BIOS and for UEFI: CD-ROM and hard disk in one.
#
#   tools/make_iso.sh KERNEL OUT [COMMAND LINE]
set -u

kernel=${1:?usage: tools/make_iso.sh KERNEL OUT [COMMAND LINE]}
out=${2:?usage: tools/make_iso.sh KERNEL OUT [COMMAND LINE]}
line=${3:-}
[ $# -le 3 ] || {
    echo "make_iso: $# arguments; the command line is one, in quotes" >&2
    exit 2
}

for need in grub-mkrescue:grub-common xorriso:xorriso mformat:mtools; do
    command -v "${need%%:*}" > /dev/null || {
        echo "make_iso: ${need%%:*} is missing; it is in the package ${need##*:} (make deps)" >&2
        exit 2
    }
done
for need in i386-pc:grub-pc-bin x86_64-efi:grub-efi-amd64-bin; do
    [ -d "/usr/lib/grub/${need%%:*}" ] || {
        echo "make_iso: GRUB's modules for ${need%%:*} are missing; they are in the package" \
            "${need##*:} (make deps)" >&2
        exit 2
    }
done

# The kernel's words for GRUB, which puts quotes round a word with blanks itself, and a backslash
# that the kernel would keep before each quote and backslash of a word. In its language a backslash
# keeps a character from being read.
grub_words() {
    local i c quote='' out=''
    for ((i = 0; i < ${#line}; i++)); do
        c=${line:i:1}
        case $quote$c in
        \" | \') quote=$c && continue ;;
        \"\" | \'\') quote='' && continue ;;
        *\" | *\' | *\\)
            echo "make_iso: GRUB cannot pass $c in a parameter" >&2
            return 2
            ;;
        *[][\$\;{}\<\>\|\&\#]) c=\\$c ;;
        [\"\'][[:blank:]]) c=\\$c ;;
        esac
        out+=$c
    done
    printf %s "$out"
}
words=$(grub_words) || exit 2

folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/boot/grub"
cp "$kernel" "$folder/boot/corestorm.elf"
# Nothing on the serial line before the kernel: GRUB stays on the screen, whose drivers it needs to
# hand a picture over.
cat > "$folder/boot/grub/grub.cfg" <<CFG
set timeout=0
insmod all_video
set gfxpayload=keep
terminal_output console
menuentry "Corestorm" {
    multiboot2 /boot/corestorm.elf $words
    boot
}
CFG
if ! grub-mkrescue -o "$out" "$folder" > "$folder.log" 2>&1; then
    cat "$folder.log" >&2
    rm -f "$folder.log"
    exit 1
fi
rm -f "$folder.log"
