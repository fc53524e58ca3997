#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Gets a QEMU that emulates x2APIC (9 or later; more than 255 CPUs) without touching the system, and
# that version's arm64.
#
#   tools/fetch_qemu10.sh FOLDER      FOLDER/qemu-system-{x86_64,aarch64} are then scripts that run it
#
# Where the system's own QEMU is new enough, the scripts run that. Otherwise it comes from the
# distribution's backports: the machine's own apt sources with the suite's name changed, with lists
# and cache in FOLDER, unpacked there. Exit: 0 it is there and runs, 2 it cannot be had (why is said).
set -u

FOLDER=$(realpath -m "${1:?usage: tools/fetch_qemu10.sh FOLDER}")
PROGRAMS=(qemu-system-x86_64 qemu-system-aarch64)
PACKAGES=(qemu-system-x86 qemu-system-arm qemu-system-common qemu-system-data)
WANTED_MAJOR=9

give_up() {
    echo "fetch_qemu10: $*" >&2
    exit 2
}

qemu_major() { "$1" --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\)\..*/\1/p'; }

# All of them: programs of the folder $1, or of the PATH.
new_enough() {
    local program major
    for program in "${PROGRAMS[@]}"; do
        major=$(qemu_major "$1$program")
        [ -n "$major" ] && [ "$major" -ge $WANTED_MAJOR ] || return 1
    done
}

write_wrapper() { # program, script
    mkdir -p "$FOLDER"
    printf '#!/bin/sh\n%s\n' "$2" > "$FOLDER/$1.new"
    chmod +x "$FOLDER/$1.new"
    mv "$FOLDER/$1.new" "$FOLDER/$1"
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
        "${PACKAGES[@]}" >> "$APT/log" 2>&1 ||
        give_up "apt cannot download it: $(grep -m1 '^E:' "$APT/log")"
}

unpack() {
    local deb lib program
    lib=usr/lib/$(uname -m)-linux-gnu
    rm -rf "$FOLDER/root"
    mkdir -p "$FOLDER/root"
    for deb in "$APT"/cache/archives/*.deb; do
        dpkg-deb -x "$deb" "$FOLDER/root" || give_up "dpkg-deb cannot unpack $deb"
    done
    for program in "${PROGRAMS[@]}"; do
        write_wrapper "$program" "here=\$(dirname \"\$(readlink -f \"\$0\")\")/root
export LD_LIBRARY_PATH=\$here/$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export QEMU_MODULE_DIR=\$here/$lib/qemu
exec \"\$here/usr/bin/$program\" -L \"\$here/usr/share/qemu\" -L \"\$here/usr/share/seabios\" \\
    -L /usr/share/seabios \"\$@\""
    done
}

new_enough "$FOLDER/" && exit 0
if new_enough ''; then
    for program in "${PROGRAMS[@]}"; do
        write_wrapper "$program" "exec $program \"\$@\""
    done
    exit 0
fi
fetch
unpack
new_enough "$FOLDER/" || give_up "it was unpacked, but does not run: $(
    "$FOLDER/${PROGRAMS[0]}" --version 2>&1 | head -1
)"
rm -rf "$APT"
echo "fetch_qemu10: $("$FOLDER/${PROGRAMS[0]}" --version | head -1)"
