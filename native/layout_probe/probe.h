// SPDX-License-Identifier: Apache-2.0
//
// How the layout probe prints, and its parts.
#pragma once

#include <stddef.h>
#include <stdio.h>

#define STRUCT(name) printf("struct %s %zu\n", #name, sizeof(struct name))
#define FIELD(name, member) \
    printf("field %s.%s %zu %zu\n", #name, #member, offsetof(struct name, member), sizeof(((struct name *)0)->member))
// A struct that later releases may lengthen, because the caller passes its size: the size it has if `last` is its end.
#define END_OF(name, last) (offsetof(struct name, last) + sizeof(((struct name *)0)->last))
#define ROUND_UP(size, alignment) (((size) + (alignment)-1) / (alignment) * (alignment))
#define KNOWN(name, last) \
    printf("struct %s %zu\n", #name, ROUND_UP(END_OF(name, last), _Alignof(struct name)))
// verbs_context grows at its front: what is fixed is the distance to the ibv_context at its end.
#define BEFORE_CONTEXT(member)                                                                              \
    printf("field verbs_context.%s %td %zu\n", #member,                                                     \
           (ptrdiff_t)offsetof(struct verbs_context, member) - (ptrdiff_t)offsetof(struct verbs_context, context), \
           sizeof(((struct verbs_context *)0)->member))
#define CONST(name) printf("const %s %lld\n", #name, (long long)(name))

void devices(void);
void memory(void);
void queues(void);
void queue_pairs(void);
void requests(void);
void completions(void);
void system_calls(void);
