// SPDX-License-Identifier: Apache-2.0
//
// Prints what the FFM binding must know of libibverbs' ABI on this machine: the size of every struct it touches, the
// offset and size of every field, and the value of every constant. The output for x86-64 is checked in
// (layouts/x86_64.txt); tests of verbs-native compare it with the Java side, and with this program where a C compiler
// and the headers are installed.
//
//   cc -std=gnu11 -Wall -Werror -o probe layout_probe/*.c && ./probe
//
// One line per fact, in the order of these files, nothing that depends on the machine's state:
//   struct NAME SIZE
//   field  STRUCT.FIELD OFFSET SIZE   (the offset is negative for what stands before an ibv_context)
//   const  NAME VALUE
#include "probe.h"

int main(void) {
    devices();
    memory();
    queues();
    queue_pairs();
    requests();
    completions();
    system_calls();
    return 0;
}
