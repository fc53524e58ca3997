#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Gets a QEMU that emulates x2APIC (9 or later; more than 255 CPUs) without touching the system.
#
#   tools/fetch_qemu10.sh FOLDER      FOLDER/qemu-system-x86_64 is then a script that runs it
#
# Where the system's own QEMU is new enough, the script runs that. Otherwise it comes from the
# distribution's backports: the machine's own apt sources with the suite's name changed, with lists
# and cache in FOLDER, unpacked there. Exit: 0 it is there and runs, 2 it cannot be had (why is said).
set -u

FOLDER=$(realpath -m "${1:?usage: tools/fetch_qemu10.sh FOLDER}")
PROGRAM=qemu-system-x86_64
WRAPPER=$FOLDER/$PROGRAM
WANTED_MAJOR=9

give_up() {
    echo "fetch_qemu10: $*" >&2
    exit 2
}

qemu_major() { "$1" --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\)\..*/\1/p'; }

new_enough() {
    local major
    major=$(qemu_major "$1")
    [ -n "$major" ] && [ "$major" -ge $WANTED_MAJOR ]
}

write_wrapper() {
    mkdir -p "$FOLDER"
    printf '#!/bin/sh\n%s\n' "$1" > "$WRAPPER.new"
    chmod +x "$WRAPPER.new"
    mv "$WRAPPER.new" "$WRAPPER"
}

# Both formats of apt's sources, limited to the release's own suite; $1 is its new name.
sources_with_suite() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$file" ] && awk -v old="$CODENAME" -v new="$1" '
            $1 == "deb" {
                for (i = 2; i < NF; i++)
                    if ($i == old) { $i = new; print; break }
            }' "$file"
    done > "$APT/$1.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] && awk -v old="$CODENAME" -v new="$1" '
            BEGIN { RS = ""; ORS = "\n\n" }
            $0 ~ "(^|\n)Suites:[^\n]*[ \t]" old "([ \t\n]|$)" {
                sub(/Suites:[^\n]*/, "Suites: " new); print
            }' "$file"
    done > "$APT/$1.sources"
    [ -s "$APT/$1.list" ] || [ -s "$APT/$1.sources" ]
}

apt_private() {
    apt-get -q -y -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$APT" \
        -o Dir::State::Lists="$APT/lists" -o Dir::Cache="$APT/cache" \
        -o Dir::State::status=/var/lib/dpkg/status -o Debug::NoLocking=1 \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none -o Acquire::Retries=2 "$@"
}

fetch() {
    command -v apt-get > /dev/null || give_up "needs apt; without it, put a QEMU 9 or later in QEMU="
    # shellcheck disable=SC1091
    CODENAME=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    [ -n "$CODENAME" ] || give_up "this system does not say which release it is (/etc/os-release)"
    APT=$FOLDER/apt
    mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial"
    sources_with_suite "$CODENAME" || give_up "no apt source for $CODENAME on this machine"
    sources_with_suite "$CODENAME-backports"
    apt_private update > "$APT/log" 2>&1 ||
        give_up "apt cannot read $CODENAME-backports: $(grep -m1 '^E:' "$APT/log")"
    apt_private install --download-only --no-install-recommends -t "$CODENAME-backports" \
        qemu-system-x86 qemu-system-common qemu-system-data >> "$APT/log" 2>&1 ||
        give_up "apt cannot download it: $(grep -m1 '^E:' "$APT/log")"
}

unpack() {
    local deb lib
    lib=usr/lib/$(uname -m)-linux-gnu
    rm -rf "$FOLDER/root"
    mkdir -p "$FOLDER/root"
    for deb in "$APT"/cache/archives/*.deb; do
        dpkg-deb -x "$deb" "$FOLDER/root" || give_up "dpkg-deb cannot unpack $deb"
    done
    write_wrapper "here=\$(dirname \"\$(readlink -f \"\$0\")\")/root
export LD_LIBRARY_PATH=\$here/$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export QEMU_MODULE_DIR=\$here/$lib/qemu
exec \"\$here/usr/bin/$PROGRAM\" -L \"\$here/usr/share/qemu\" -L \"\$here/usr/share/seabios\" \\
    -L /usr/share/seabios \"\$@\""
}

new_enough "$WRAPPER" && exit 0
if new_enough $PROGRAM; then
    write_wrapper "exec $PROGRAM \"\$@\""
    exit 0
fi
fetch
unpack
new_enough "$WRAPPER" || give_up "it was unpacked, but does not run: $("$WRAPPER" --version 2>&1 | head -1)"
rm -rf "$APT"
echo "fetch_qemu10: $("$WRAPPER" --version | head -1)"
