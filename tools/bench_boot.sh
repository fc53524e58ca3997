#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Wall time from QEMU's start to power-off with nothing measured in between: how long booting all
# CPUs takes, beside Linux's time on the same emulator.
#
#   tools/bench_boot.sh [RUNS [CPUS…]]      default: 5 runs each of 64 and 255 CPUs
#
# Takes $QEMU, else QEMU 10 from build/tools, else the system's. Linux's figures: 6.12, QEMU 10, two
# idle host cores, boot to power-off.
set -u

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
declare -A LINUX_MS=([64]=7600 [255]=40000)

runs=${1:-5}
cpus=("${@:2}")
[ $# -gt 1 ] || cpus=(64 255)
if [ -z "${QEMU:-}" ] && [ -x "$HERE/build/tools/qemu10/qemu-system-x86_64" ]; then
    export QEMU=$HERE/build/tools/qemu10/qemu-system-x86_64
fi
"${QEMU:-qemu-system-x86_64}" --version | head -1

one_run_ms() { # CPUs
    local start end
    start=$(date +%s%N)
    "$HERE/run-qemu.sh" --smp "$1" --timeout 300 -- selftest=none bench=none > /dev/null || return 1
    end=$(date +%s%N)
    echo $(((end - start) / 1000000))
}

for n in "${cpus[@]}"; do
    times=()
    for ((i = 0; i < runs; i++)); do
        times+=("$(one_run_ms "$n")") || {
            echo "the run with $n CPUs failed" >&2
            exit 1
        }
    done
    mapfile -t sorted < <(printf '%s\n' "${times[@]}" | sort -n)
    median=${sorted[$((runs / 2))]}
    line="$n CPUs: median $median ms of $runs runs (${sorted[0]} to ${sorted[$((runs - 1))]} ms)"
    linux=${LINUX_MS[$n]:-}
    if [ -n "$linux" ]; then
        tenths=$((linux * 10 / median))
        line+="; Linux $linux ms, $((tenths / 10)).$((tenths % 10)) times as long"
    fi
    echo "$line"
done
