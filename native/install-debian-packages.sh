#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The one list of Debian packages that this project's tests use beside a JDK, and what installs them.
# Quick and silent when everything is there already, so that scripts may call it each time.

set -euo pipefail

usage() {
    cat <<'USAGE'
Usage: native/install-debian-packages.sh [--check] [SECTION...]

Installs what the tests need from Debian (12 or newer, amd64), as root or by sudo.

Sections (all of them when none is named):
  c-interop        compile against libibverbs, and the C programs that Paraverbs is tested against
  virtual-machine  QEMU and a kernel with Soft-RoCE, to run verbs-native/soft-roce/guest;
                   the kernel is unpacked below verbs-native/target/soft-roce, not installed

  --check          install nothing; name what is missing and exit with 1 if anything is
  --help           print this
USAGE
}

c_interop=(
    gcc
    clang # the preload library has to compile with both
    libc6-dev
    libibverbs-dev    # verbs.h, and libibverbs.so for the linker
    ibverbs-providers # the drivers in user space: rxe, vmw_pvrdma, mlx5...
    ibverbs-utils     # ibv_devinfo
    perftest          # ib_write_bw, ib_send_lat and their siblings in C
    python3-pyverbs   # libibverbs for Python, and rdma-core's own tests
    valgrind          # for the preload library
    iproute2          # ip and rdma
)
virtual_machine=(
    qemu-system-x86
    qemu-system-data # QEMU's own boot code
    seabios
    busybox-static # the guest's first programs, before it sees the host's
    xz-utils       # kernel images are compressed with it
    iproute2
    util-linux # setpriv
)
# The flavours "-cloud" and "-rt" will not do: the former is built without rdma_rxe.
kernel_metapackage=linux-image-amd64

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kernels=$project/verbs-native/target/soft-roce/kernels

fail() {
    echo "install-debian-packages.sh: $*" >&2
    exit 1
}

# Prints those of its arguments that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

as_root() {
    if ((EUID == 0)); then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "needs root to run: $*"
    fi
}

# Runs the command as root; shows what it printed only when it fails.
as_root_quietly() {
    local output
    if ! output=$(as_root "$@" 2>&1); then
        echo "$output" >&2
        return 1
    fi
}

lists_are_fresh=
update_lists() {
    [[ -z $lists_are_fresh ]] || return 0
    local try
    # Another apt may hold the lock of the lists, for which apt-get has no option to wait.
    for try in 1 2 3 4 5 6; do
        if as_root_quietly apt-get update -qq; then
            lists_are_fresh=yes
            return 0
        fi
        echo "install-debian-packages.sh: apt-get update failed (try $try of 6)" >&2
        sleep 5
    done
    fail "apt-get update failed: is the package mirror reachable?"
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    ((${#missing[@]} > 0)) || return 0
    echo "Installing from Debian: ${missing[*]}"
    update_lists
    as_root_quietly env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "${missing[@]}" || fail "apt-get could not install: ${missing[*]}"
}

# A folder is complete once it has its final name; only then does this answer yes.
have_kernel() {
    compgen -G "$kernels/*/boot/vmlinuz-*" >/dev/null
}

unpack_kernel() {
    ! have_kernel || return 0
    update_lists
    local package version work
    package=$(apt-cache depends "$kernel_metapackage" | sed -n 's/^ *Depends: *\(linux-image-[0-9].*\)$/\1/p' | head -n 1)
    [[ -n $package ]] || fail "apt knows no kernel behind $kernel_metapackage"
    version=$(apt-cache show --no-all-versions "$package" | sed -n 's/^Version: *//p')
    echo "Unpacking the kernel $package $version below ${kernels#"$project"/}"
    mkdir -p "$kernels"
    work=$(mktemp -d "$kernels/.unpacking.XXXXXX")
    # shellcheck disable=SC2064 # the folder of now
    trap "rm -rf -- '$work'" EXIT
    # As root, apt hands the download to a user of its own, who cannot write here; that warning is of no use.
    (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root "$package" >/dev/null)
    mkdir "$work/root"
    # Of 400 MB, the few that a guest with RDMA devices can use.
    dpkg-deb --fsys-tarfile "$work"/*.deb | tar -x -C "$work/root" --wildcards \
        './boot/vmlinuz-*' './lib/modules/*/kernel/'{arch,crypto,fs,lib,net} \
        './lib/modules/*/kernel/drivers/'{char,infiniband,net/veth.ko*,net/vmxnet3,virtio}
    # Another run may have been quicker: then its folder stands.
    mv -T "$work/root" "$kernels/$package-$version" 2>/dev/null || have_kernel || fail "cannot write to $kernels"
    rm -rf -- "$work"
    trap - EXIT
}

check_only=
sections=()
while (($# > 0)); do
    case $1 in
        --help | -h)
            usage
            exit 0
            ;;
        --check) check_only=yes ;;
        c-interop | virtual-machine) sections+=("$1") ;;
        *)
            usage >&2
            fail "there is no section or option '$1'"
            ;;
    esac
    shift
done
((${#sections[@]} > 0)) || sections=(c-interop virtual-machine)

[[ $(dpkg --print-architecture 2>/dev/null) == amd64 ]] || fail "this is for Debian on amd64; elsewhere, install the likes of: ${c_interop[*]} ${virtual_machine[*]}"

packages=()
want_kernel=
for section in "${sections[@]}"; do
    case $section in
        c-interop) packages+=("${c_interop[@]}") ;;
        virtual-machine)
            packages+=("${virtual_machine[@]}")
            want_kernel=yes
            ;;
    esac
done

if [[ -n $check_only ]]; then
    mapfile -t absent < <(missing_packages "${packages[@]}" | sort -u)
    if [[ -n $want_kernel ]] && ! have_kernel; then
        absent+=("a kernel below ${kernels#"$project"/}")
    fi
    ((${#absent[@]} > 0)) || exit 0
    printf '%s\n' "${absent[@]}"
    exit 1
fi
install_packages "${packages[@]}"
[[ -z $want_kernel ]] || unpack_kernel
