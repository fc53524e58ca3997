#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing on Debian and Ubuntu, as root or by sudo without a password; otherwise
# says the one command and stops with status 2. Does nothing, quickly, when all is there.
#
#   tools/deps.sh [build] [run] [efi] [uefi] [iso] [test] [build-arm64] [run-arm64] [uefi-arm64] [sign] [curves]
set -u

# What is looked for (a program, or a path), and the package that has it.
# shellcheck disable=SC2034  # read by name, in missing()
{
    build=(gcc:gcc ld:binutils nasm:nasm /usr/include/stdio.h:libc6-dev /usr/bin/python3:python3)
    run=(qemu-system-x86_64:qemu-system-x86)
    build_arm64=(gcc:gcc aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu
        aarch64-linux-gnu-ld:binutils-aarch64-linux-gnu /usr/bin/python3:python3)
    run_arm64=(qemu-system-aarch64:qemu-system-arm)
    efi=(/usr/include/efi/efi.h:gnu-efi)
    uefi=(/usr/share/OVMF/OVMF_CODE_4M.fd:ovmf mformat:mtools)
    uefi_arm64=(/usr/share/AAVMF/AAVMF_CODE.fd:qemu-efi-aarch64 mformat:mtools)
    sign=(sbsign:sbsigntool)
    curves=(/usr/lib/python3/dist-packages/matplotlib:python3-matplotlib)
    iso=(grub-mkrescue:grub-common /usr/lib/grub/i386-pc:grub-pc-bin
        /usr/lib/grub/x86_64-efi:grub-efi-amd64-bin xorriso:xorriso mformat:mtools)
    test=(/usr/lib/python3/dist-packages/pytest:python3-pytest clang:clang dtc:device-tree-compiler
        /usr/lib/python3/dist-packages/pefile.py:python3-pefile openssl:openssl sbsign:sbsigntool)
}

missing() {
    local group pair
    for group in "$@"; do
        local -n pairs=${group//-/_}
        for pair in "${pairs[@]}"; do
            case $pair in
            /*) [ -e "${pair%%:*}" ] ;;
            *) command -v "${pair%%:*}" > /dev/null ;;
            esac || printf '%s ' "${pair##*:}"
        done
    done
}

for group in "$@"; do
    case $group in
    build | run | efi | uefi | iso | test | build-arm64 | run-arm64 | uefi-arm64 | sign | curves) ;;
    *) echo "deps: there is no group $group" >&2 && exit 2 ;;
    esac
done

packages=$(missing "$@")
[ -n "$packages" ] || exit 0

if ! command -v apt-get > /dev/null; then
    echo "deps: missing here: $packages(names of Debian's packages)" >&2
    exit 2
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2> /dev/null; then
        echo "deps: missing here; please install: sudo apt-get install $packages" >&2
        exit 2
    fi
    as_root=(sudo -n)
fi

install() {
    # shellcheck disable=SC2086  # a list of names
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends $packages
}

update() { "${as_root[@]}" apt-get update -q; }

echo "deps: installing $packages"
# Without lists there is nothing to install from; with old ones the packages may be gone.
if ! compgen -G '/var/lib/apt/lists/*_Packages*' > /dev/null; then
    update || exit 2
    install || exit 2
else
    install || { update && install; } || exit 2
fi
