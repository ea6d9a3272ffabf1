#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Prints the layouts of the PVRDMA device interface; `> layouts/pvrdma.txt` refreshes the golden file.
# Needs a C compiler and, from Debian, linux-source-* (the driver's headers, GPL, therefore only taken
# apart in a temporary folder and never kept here) and libibverbs-dev.
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
archive=$(ls /usr/src/linux-source-*.tar.xz 2>/dev/null | sort -V | tail -n 1)
[ -n "$archive" ] || { echo "no /usr/src/linux-source-*.tar.xz: apt-get install linux-source" >&2; exit 1; }
[ -e /usr/include/rdma/vmw_pvrdma-abi.h ] \
  || { echo "no rdma/vmw_pvrdma-abi.h: apt-get install libibverbs-dev" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
tar -xf "$archive" -C "$work" --strip-components=5 --wildcards '*/drivers/infiniband/hw/vmw_pvrdma/*.h'
# -w: the kernel's prototypes name types that mean nothing here.
"${CC:-cc}" -w -I"$work/vmw_pvrdma" -I"$work" -o "$work/probe" "$here/pvrdma_layout_probe.c"
"$work/probe"
