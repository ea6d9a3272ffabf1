// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.abi;

/**
 * The 21 commands.
 */
public final class CommandCode {
    public static final int QUERY_PORT = 0;
    public static final int QUERY_PKEY = 1;
    public static final int CREATE_PD = 2;
    public static final int DESTROY_PD = 3;
    public static final int CREATE_MR = 4;
    public static final int DESTROY_MR = 5;
    public static final int CREATE_CQ = 6;
    public static final int RESIZE_CQ = 7;
    public static final int DESTROY_CQ = 8;
    public static final int CREATE_QP = 9;
    public static final int MODIFY_QP = 10;
    public static final int QUERY_QP = 11;
    public static final int DESTROY_QP = 12;
    public static final int CREATE_UC = 13;
    public static final int DESTROY_UC = 14;
    public static final int CREATE_BIND = 15;
    public static final int DESTROY_BIND = 16;
    public static final int CREATE_SRQ = 17;
    public static final int MODIFY_SRQ = 18;
    public static final int QUERY_SRQ = 19;
    public static final int DESTROY_SRQ = 20;

    /** Number of commands; every code is below it. */
    public static final int MAX = 21;

    /** Bytes that the driver copies in the command slot, whatever the command: the longest one. */
    public static final int MAX_COMMAND_SIZE = ModifyQp.SIZE;

    /** Bytes that the driver copies out of the response slot, whatever the command: the longest one. */
    public static final int MAX_RESPONSE_SIZE = QueryQp.Response.SIZE;

    private static final int FIRST_RESPONSE = 0x80000000;

    private static final String[] NAMES = {
        "QUERY_PORT",
        "QUERY_PKEY",
        "CREATE_PD",
        "DESTROY_PD",
        "CREATE_MR",
        "DESTROY_MR",
        "CREATE_CQ",
        "RESIZE_CQ",
        "DESTROY_CQ",
        "CREATE_QP",
        "MODIFY_QP",
        "QUERY_QP",
        "DESTROY_QP",
        "CREATE_UC",
        "DESTROY_UC",
        "CREATE_BIND",
        "DESTROY_BIND",
        "CREATE_SRQ",
        "MODIFY_SRQ",
        "QUERY_SRQ",
        "DESTROY_SRQ"
    };

    private static final int UNANSWERED = 1 << DESTROY_PD
            | 1 << DESTROY_MR
            | 1 << DESTROY_CQ
            | 1 << DESTROY_QP
            | 1 << DESTROY_UC
            | 1 << CREATE_BIND
            | 1 << DESTROY_BIND
            | 1 << MODIFY_SRQ
            | 1 << DESTROY_SRQ;

    /** The {@link ResponseHeader#ack} that belongs to a command. */
    public static int ack(int command) {
        return FIRST_RESPONSE | command;
    }

    /**
     * Whether the driver sleeps until vector 0 tells it of the response. For the others an interrupt would
     * wake the wrong command (pvrdma_cmd.c: no response buffer, no wait).
     */
    public static boolean isAnswered(int command) {
        return (UNANSWERED >>> command & 1) == 0;
    }

    /**
     * The name of a command, for messages.
     *
     * @param command any number
     */
    public static String name(int command) {
        return command >= 0 && command < MAX ? NAMES[command] : "command " + command;
    }

    private CommandCode() {}
}
