#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Boots the image in QEMU, passes its serial report to stdout and its verdict to the exit status.
# ./run-qemu.sh --help says the options.
# shellcheck disable=SC2054  # commas inside QEMU's arguments
set -u

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
QEMU10=$HERE/build/tools/qemu10

# isa-debug-exit turns the image's 0x10 and 0x11 into these (drivers/exit_qemu.c); by semihosting
# they leave as they are (drivers/arm_semihosting.c).
STATUS_PASS=33
STATUS_FAIL=35
# More CPUs than xAPIC ids need a QEMU that emulates x2APIC under TCG.
XAPIC_MAX_CPUS=255
X2APIC_QEMU_MAJOR=9
# What the interrupt controllers of arm64's "virt" can do.
GICV2_MAX_CPUS=8
GICV3_MAX_CPUS=512
# QEMU's PVH loader has a buffer of 4096 bytes for the command line and its end, and overwrites what
# it tells the kernel with the rest.
PVH_CMDLINE_BYTES_MAX=4095
# Firmware, by architecture: UEFI's code and its variables, and the package that has both. Read by
# name.
# shellcheck disable=SC2034,SC2100
{
    UEFI_CODE_x86_64=/usr/share/OVMF/OVMF_CODE_4M.fd
    UEFI_VARS_x86_64=/usr/share/OVMF/OVMF_VARS_4M.fd
    UEFI_PACKAGE_x86_64=ovmf
    UEFI_CODE_arm64=/usr/share/AAVMF/AAVMF_CODE.fd
    UEFI_VARS_arm64=/usr/share/AAVMF/AAVMF_VARS.fd
    UEFI_PACKAGE_arm64=qemu-efi-aarch64
    EFI_FILE_x86_64=BOOTX64.EFI
    EFI_FILE_arm64=BOOTAA64.EFI
}
EFI_DISK_MIB=64
# Where the file system of the stick begins (tools/make_usb.py).
STICK_OFFSET=1M
MEM_BASE_MIB=512
MEM_PER_CPU_MIB=4
MEM_MIN_MIB=32
LAST_LINES=20

arch=x86_64 smp=4 boot=direct mem='' cpu='' machine='' accel=tcg icount='' limit=600 log='' gdb='' interactive='' disk='' firmware=''
dry='' qemu10='' params=()

usage() {
    cat <<TEXT
./run-qemu.sh [OPTION…] [--] [PARAM…]      boots Corestorm in QEMU; PARAMs are kernel parameters

  --arch x86_64|arm64   the machine                                                      [$arch]
  --smp N|STRING        CPUs, or a whole -smp argument: 3,maxcpus=6,sockets=2,cores=3    [$smp]
  --boot PATH           direct  qemu -kernel                                             [$boot]
                        uefi    the EFI application on a disk, its PARAMs in corestorm.cfg
                        net     the same from QEMU's own TFTP server, by firmware's PXE
                        usb     the stick of 'make usb' behind xHCI, PARAMs in its corestorm.cfg
                        iso     CD-ROM of 'make iso' with GRUB (x86_64)
                        bios    the same image as a hard disk (x86_64)
  --firmware bios|uefi  what starts a stick or a CD-ROM     [uefi for usb, bios for iso and bios]
  --mem SIZE            memory, as QEMU's -m   [${MEM_BASE_MIB}M + ${MEM_PER_CPU_MIB}M a CPU]
  --cpu MODEL           as QEMU's -cpu                                                   [max]
  --machine M           as QEMU's -machine   [q35; virt, with GICv3 for more than $GICV2_MAX_CPUS CPUs]
  --accel tcg|kvm       kvm is tried before it is used                                   [$accel]
  --icount              one instruction a ns: the same numbers in every run
  --timeout S           seconds until the run is given up                                [$limit]
  --log FILE            the report goes there too
  --disk FILE           uefi, usb: this disk, which is made when it is not there, and kept
  --interactive         what is typed here goes to the serial line, for the parameter shell
  --gdb                 waits for gdb on port 1234
  --qemu10              the QEMU of 'make qemu10'; taken by itself for more than $XAPIC_MAX_CPUS CPUs
  --dry-run             prints the QEMU command

Environment: QEMU (the program), QEMU_ARGS (further arguments; a -serial in them replaces ours),
IMAGE (another build's corestorm.elf, Image for arm64, BOOTX64.EFI or BOOTAA64.EFI, corestorm.img),
UEFI_CODE and UEFI_VARS (other firmware; the variables are copied).

Exit: 0 the image said pass; 1 it said fail, panicked or ended without a verdict; 2 usage, or
something is missing; 124 time-out.
TEXT
}

refuse() {
    echo "run-qemu.sh: $*" >&2
    exit 2
}

need_tool() { # program package
    command -v "$1" > /dev/null || refuse "$1 is missing; it is in the package $2 (make deps)"
}

parse_options() {
    while [ $# -gt 0 ]; do
        case $1 in
        --arch | --smp | --boot | --mem | --cpu | --machine | --accel | --timeout | --log | --disk | \
            --firmware)
            [ $# -ge 2 ] || refuse "$1 needs a value"
            case $1 in
            --timeout) limit=$2 ;;
            *) printf -v "${1#--}" %s "$2" ;;
            esac
            shift
            ;;
        --icount | --gdb | --qemu10 | --interactive) printf -v "${1#--}" %s yes ;;
        --dry-run) dry=yes ;;
        --help | -h) usage && exit 0 ;;
        --) shift && params+=("$@") && return ;;
        -*) refuse "unknown option $1 (--help)" ;;
        *) params+=("$1") ;;
        esac
        shift
    done
}

check_options() {
    case $arch in
    x86_64 | arm64) ;;
    *) refuse "--arch $arch: x86_64 or arm64" ;;
    esac
    case $boot in
    direct) firmware=${firmware:-none} ;;
    iso | bios) firmware=${firmware:-bios} ;;
    uefi | usb | net) firmware=${firmware:-uefi} ;;
    *) refuse "--boot $boot: direct, uefi, net, usb, bios or iso" ;;
    esac
    case $boot-$firmware in
    direct-none | iso-* | bios-bios | uefi-uefi | net-uefi | usb-*) ;;
    *) refuse "--boot $boot --firmware $firmware: there is no such way" ;;
    esac
    [[ $firmware =~ ^(none|bios|uefi)$ ]] || refuse "--firmware $firmware: bios or uefi"
    [ "$arch" = x86_64 ] || [ "$boot" != iso ] || refuse "--boot iso: that is for x86_64"
    [ "$arch" = x86_64 ] || [ "$firmware" != bios ] ||
        refuse "--boot $boot: $arch has no such firmware (bios)"
    [[ $smp =~ ^[1-9][0-9]*(,[a-z]+=[0-9]+)*$ ]] || refuse "--smp $smp: a number, or a -smp argument"
    [[ $limit =~ ^[1-9][0-9]*$ ]] || refuse "--timeout $limit: a number of seconds"
    [[ $accel =~ ^(tcg|kvm)$ ]] || refuse "--accel $accel: tcg or kvm"
    [ -z "$icount" ] || [ "$accel" = tcg ] || refuse "--icount needs --accel tcg"
    [[ ! $smp =~ [0-9]{7} ]] || refuse "--smp $smp: so many CPUs cannot be"
    nr_cpus=${smp%%,*}
    [[ $smp =~ maxcpus=([0-9]+) ]] && nr_cpus=${BASH_REMATCH[1]}
    mem=${mem:-$((MEM_BASE_MIB + MEM_PER_CPU_MIB * nr_cpus))M}
    [[ $mem =~ ^([0-9]+)M?$ ]] && [ ${#BASH_REMATCH[1]} -lt 3 ] && [ "${BASH_REMATCH[1]}" -lt $MEM_MIN_MIB ] &&
        refuse "--mem $mem: the kernel needs ${MEM_MIN_MIB}M at least"
    return 0
}

# What is booted: by firmware the EFI application, else the kernel.
choose_image() {
    local efi=EFI_FILE_$arch
    efi_name=${!efi}
    case $boot-$arch in
    usb-*) IMAGE=${IMAGE:-$HERE/build/corestorm.img} target=usb ;;
    uefi-* | net-*) IMAGE=${IMAGE:-$HERE/build/$arch/$efi_name} target="efi ARCH=$arch" ;;
    *-x86_64) IMAGE=${IMAGE:-$HERE/build/x86_64/corestorm.elf} target="ARCH=$arch" ;;
    *) IMAGE=${IMAGE:-$HERE/build/arm64/Image} target="ARCH=$arch" ;;
    esac
    [ -r "$IMAGE" ] || refuse "$IMAGE is missing; 'make $target' builds it"
}

# What the two machines do not have in common.
choose_machine() {
    if [ "$arch" = x86_64 ]; then
        program=qemu-system-x86_64 package=qemu-system-x86
        machine=${machine:-q35}
        exit_device=(-device "isa-debug-exit,iobase=0xf4,iosize=4")
        return
    fi
    program=qemu-system-aarch64 package=qemu-system-arm
    machine=${machine:-virt}
    exit_device=(-semihosting-config "enable=on,target=native")
    [ "$nr_cpus" -gt $GICV2_MAX_CPUS ] && [[ $machine = virt* && $machine != *gic-version* ]] &&
        machine+=,gic-version=3
    [ "$nr_cpus" -le $GICV3_MAX_CPUS ] ||
        refuse "--smp $smp: QEMU's virt has at most $GICV3_MAX_CPUS CPUs"
}

qemu_major() { "$qemu" --version 2> /dev/null | sed -n '1s/.*version \([0-9]*\)\..*/\1/p'; }

# $QEMU, else --qemu10, else the system's; where x2APIC is needed and that has none, QEMU 10.
choose_qemu() {
    qemu=${QEMU:-$program}
    if [ -n "$qemu10" ]; then
        [ -x "$QEMU10/$program" ] || refuse "--qemu10: it is not there; 'make qemu10' gets it"
        qemu=$QEMU10/$program
    fi
    need_tool "$qemu" "$package"
    [ "$arch" = x86_64 ] && [ "$nr_cpus" -gt $XAPIC_MAX_CPUS ] && [ "$accel" = tcg ] || return 0
    [ "$(qemu_major)" -ge $X2APIC_QEMU_MAJOR ] && return
    if [ -n "${QEMU:-}" ] || [ ! -x "$QEMU10/$program" ]; then
        refuse "more than $XAPIC_MAX_CPUS CPUs need QEMU $X2APIC_QEMU_MAJOR or later, and $qemu is" \
            "$(qemu_major); 'make qemu10' gets one"
    fi
    qemu=$QEMU10/$program
}

# KVM may look present and not work: it is tried with the machine stopped.
try_kvm() {
    # In a shell of its own, since the shell itself says that a program was aborted.
    (echo quit | timeout 20 "$qemu" -accel kvm -machine "$machine" -cpu host -nodefaults -S \
        -display none -monitor stdio; exit) > /dev/null 2>&1 ||
        refuse "--accel kvm: KVM does not work here"
}

# A PARAM as the kernel reads a word: what is in "…" or '…' is taken as it is.
quote_param() {
    local value=$1 name='' quote="\"'\"'\""
    [[ $value =~ ^[^[:blank:]\"\'=#]+= ]] && name=${BASH_REMATCH[0]}
    value=${value#"$name"}
    case $value in
    *[[:blank:]\"\']* | \#*) value="\"${value//\"/$quote}\"" ;;
    esac
    printf %s "$name$value"
}

join_params() {
    local p line=''
    for p in ${params[@]+"${params[@]}"}; do
        line+="${line:+ }$(quote_param "$p")"
    done
    printf %s "$line"
}

# Each PARAM a line of corestorm.cfg, where '#' begins a comment.
config_lines() {
    local p
    for p in ${params[@]+"${params[@]}"}; do
        printf '%s\n' "$(quote_param "$p")"
    done
}

# The firmware as flash: code, and a copy of its variables.
firmware_arguments() {
    local code=UEFI_CODE_$arch vars=UEFI_VARS_$arch package=UEFI_PACKAGE_$arch file
    code=${UEFI_CODE:-${!code}} vars=${UEFI_VARS:-${!vars}}
    for file in "$code" "$vars"; do
        [ -r "$file" ] || refuse "$file is missing; it is in the package ${!package} (make deps)"
    done
    [ -n "$dry" ] || { cp "$vars" "$scratch/vars.fd" && chmod u+w "$scratch/vars.fd"; } || exit 2
    command+=(-drive "if=pflash,unit=0,format=raw,readonly=on,file=$code"
        -drive "if=pflash,unit=1,format=raw,file=$scratch/vars.fd")
}

# A copy of the stick, with these PARAMs where there are any.
make_stick() {
    [ -z "$dry" ] || return 0
    [ -e "$disk" ] || cp --sparse=always "$IMAGE" "$disk" || exit 2
    [ ${#params[@]} = 0 ] ||
        config_lines | "$HERE/tools/make_fat.sh" "$disk@@$STICK_OFFSET" corestorm.cfg=- || exit 2
}

# A disk with the application; one that is kept gets this image and these PARAMs too.
make_efi_disk() {
    local new=()
    [ -z "$dry" ] || return 0
    [ -e "$disk" ] || new=(-s "$EFI_DISK_MIB")
    config_lines | "$HERE/tools/make_fat.sh" ${new[@]+"${new[@]}"} "$disk" \
        "EFI/BOOT/$efi_name=$IMAGE" corestorm.cfg=- || exit 2
}

direct_arguments() {
    local line bytes
    line=$(join_params)
    bytes=$(printf %s "$line" | wc -c)
    [ "$arch" != x86_64 ] || [ "$bytes" -le $PVH_CMDLINE_BYTES_MAX ] ||
        refuse "the PARAMs have $bytes bytes; --boot direct takes $PVH_CMDLINE_BYTES_MAX"
    command+=(-kernel "$IMAGE" -append "$line")
}

iso_arguments() {
    local iso=$scratch/corestorm.iso
    [ -n "$dry" ] || "$HERE/tools/make_iso.sh" "$IMAGE" "$iso" "$(join_params)" || exit 2
    case $boot in
    iso) command+=(-cdrom "$iso" -boot d) ;;
    bios) command+=(-drive "file=$iso,format=raw,if=ide,snapshot=on" -boot c) ;;
    esac
}

# Not the network card's own program, but firmware's.
net_arguments() {
    local folder=$scratch/tftp
    if [ -z "$dry" ]; then
        mkdir "$folder" && cp "$IMAGE" "$folder/$efi_name" && config_lines > "$folder/corestorm.cfg" ||
            exit 2
    fi
    command+=(-netdev "user,id=net,tftp=$folder,bootfile=$efi_name"
        -device "virtio-net-pci,netdev=net,romfile=")
}

boot_arguments() {
    disk=${disk:-$scratch/disk.img}
    [ "$firmware" != uefi ] || firmware_arguments
    case $boot in
    direct) direct_arguments ;;
    iso | bios) iso_arguments ;;
    net) net_arguments ;;
    uefi)
        make_efi_disk
        command+=(-drive "file=$disk,format=raw,if=none,id=disk" -device virtio-blk-pci,drive=disk)
        ;;
    usb)
        make_stick
        command+=(-drive "file=$disk,format=raw,if=none,id=stick" -device qemu-xhci,id=xhci
            -device "usb-storage,bus=xhci.0,drive=stick,removable=on")
        ;;
    esac
}

make_command() {
    local extra=()
    read -r -a extra <<< "${QEMU_ARGS:-}"
    command=("$qemu" -machine "$machine" -smp "$smp" -m "$mem" -nodefaults -no-user-config
        -no-reboot -display none -monitor none "${exit_device[@]}")
    [ "$accel" = kvm ] && cpu=${cpu:-host}
    command+=(-cpu "${cpu:-max}")
    if [ -n "$icount" ]; then
        command+=(-accel tcg,thread=single -icount shift=0,sleep=off -seed 1
            -rtc base=2000-01-01T00:00:00,clock=vm)
    elif [ "$accel" = tcg ]; then
        command+=(-accel tcg,thread=multi)
    else
        command+=(-accel kvm)
    fi
    [ "$arch" = x86_64 ] && [ "$nr_cpus" -gt $XAPIC_MAX_CPUS ] &&
        command+=(-device intel-iommu,intremap=on,eim=on)
    case " ${QEMU_ARGS:-} " in
    *" -serial "*) ;;
    *) command+=(-chardev stdio,id=report,signal=off -serial chardev:report) ;;
    esac
    [ -n "$gdb" ] && command+=(-s -S)
    boot_arguments
    command+=(${extra[@]+"${extra[@]}"})
}

last_lines() {
    echo "run-qemu.sh: the last lines were:" >&2
    tail -n $LAST_LINES "$log" >&2
}

# QEMU's own status becomes ours; whatever is no verdict of the image is explained.
verdict() {
    case $1 in
    "$STATUS_PASS") exit 0 ;;
    "$STATUS_FAIL") exit 1 ;;
    124 | 137)
        echo "run-qemu.sh: no end within $limit s" >&2
        last_lines
        exit 124
        ;;
    0)
        echo "run-qemu.sh: the machine was switched off or reset (a triple fault?) with no verdict" >&2
        last_lines
        exit 1
        ;;
    1)
        refuse "QEMU did not start the machine (above)"
        ;;
    *)
        echo "run-qemu.sh: QEMU ended with status $1, which is no verdict of the image" >&2
        last_lines
        exit 1
        ;;
    esac
}

main() {
    parse_options "$@"
    check_options
    choose_machine
    choose_image
    choose_qemu
    scratch=$(mktemp -d) || exit 2
    trap 'rm -rf "$scratch"' EXIT
    [ "$accel" = kvm ] && try_kvm
    make_command
    if [ -n "$dry" ]; then
        printf '%q ' "${command[@]}"
        echo
        return
    fi
    log=${log:-$scratch/log}
    : 2> /dev/null > "$log" || refuse "--log $log cannot be written"
    [ -n "$interactive" ] && input=/dev/stdin || input=/dev/null
    [ -n "$gdb" ] && echo "run-qemu.sh: gdb $IMAGE -ex 'target remote :1234'" >&2
    timeout --foreground -k 5 "$limit" "${command[@]}" < "$input" | tee "$log"
    verdict "${PIPESTATUS[0]}"
}

main "$@"
