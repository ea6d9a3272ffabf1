// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.perftest;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options that the C programs have and these do not, each with the reason, so that nobody takes a refused option for a
 * mistyped one.
 */
final class AbsentOptions {
    private static final Map<String, String> REASONS = new HashMap<>();

    static {
        because("connections by rdma_cm are not there yet", "-R", "--rdma_cm", "-z", "--comm_rdma_cm", "--com_rdma_cm");
        because("connections by rdma_cm are not there yet", "-T", "--tos", "--retry_count");
        because("only the atomic tests have it, which are not there yet", "-A", "--atomic_type");
        because("only the READ and atomic tests have it, which are not there yet", "-o", "--outs");
        because("the JVM has no cycle counter; times are in microseconds", "-C", "--report-cycles");
        because("multicast needs UD, which is not there yet", "-g", "--mcg", "-M", "--MGID");
        because("one port at a time; run two tests for two ports", "-O", "--dualport", "--report-per-port");
        because("RoCE v2 by verbs has no such choice", "-L", "--hop_limit", "--force-link", "--dlid");
        because("compare the printed result in a script instead", "-w", "--limit_bw", "-y", "--limit_msgrate");
        because("read the counters in sysfs before and after", "-W", "--report-counters");
        because("one completion vector is used, the first", "-X", "--vector");
        because("reports as JSON are not there yet", "--out_json", "--out_json_file");
        because("the processor's load is not measured yet", "--cpu_util");
        because("in the C program it always fails: the version is needed for all that follows", "--dont_xchg_versions");
        because("-x chooses the GID, IPv6 or not", "--ipv6");
        because("the address is left to the routing table", "-j", "--source_ip");
        because("messages come from ordinary memory only", "--mmap", "--mmap-offset", "--use_hugepages", "--odp");
        because("messages come from ordinary memory only", "--use_cuda", "--use_cuda_bus_id", "--use_rocm");
        because("all queue pairs share one memory region", "--mr_per_qp");
        because("the result is printed in full", "--output");
        because("there is only one way to post", "--use_old_post_send");
        because("raise -n: the first messages warm up", "--perform_warm_up");
        because("the first partition key is used", "--pkey_index");
        because("only the sum of both directions is printed", "--report-both");
        because("start the server on the other side", "--reversed");
        because("use -D with a long time", "--run_infinitely");
        because("the traffic class is 0", "--tclass", "--flow_label");
        because("resources are closed at once", "--wait_destroy");
        because("relaxed ordering is never asked for", "--disable_pcie_relaxed");
        because("shared receive queues are not there yet", "--use-srq");
        because("received messages are never inline", "--inline_recv");
        because("receives are posted one by one", "--recv_post_list");
        because("messages follow each other at once", "--latency_gap");
        because("messages follow each other at once", "--rate_limit", "--rate_limit_type", "--rate_units");
        because("messages follow each other at once", "--burst_size", "--typical_pkt_size");
        because("only raw Ethernet tests have it", "-B", "-E", "-J", "-K", "-k", "-Y", "-Z", "-P", "-v", "-G");
        because("only raw Ethernet tests have it", "--source_mac", "--dest_mac", "--dest_ip", "--dest_port");
        because("only raw Ethernet tests have it", "--source_port", "--ethertype", "--server", "--client");
        because("only raw Ethernet tests have it", "--mac_fwd", "--use_rss", "--remote_mac", "--local_mac");
        because("only raw Ethernet tests have it", "--remote_ip", "--local_ip", "--remote_port", "--local_port");
        because("only raw Ethernet tests have it", "--tcp", "--raw_ipv6", "--promiscuous", "--sniffer", "--raw_mcast");
        because(
                "only raw Ethernet tests have it",
                "--flows",
                "--flows_burst",
                "--reply_every",
                "--vlan_en",
                "--vlan_pcp");
        because("only devices of one vendor have it", "--aes_xts", "--encrypt_on_tx", "--sig_before", "--kek_path");
        because("only devices of one vendor have it", "--aes_block_size", "--data_enc_keys_number");
        because("only devices of one vendor have it", "--credentials_path", "--data_enc_key_app_path", "--use_ooo");
        because("only devices of one vendor have it", "--log_dci_streams", "--log_active_dci_streams");
    }

    private AbsentOptions() {}

    private static void because(String reason, String... names) {
        for (String name : names) {
            REASONS.put(name, reason);
        }
    }

    /**
     * Why an argument is refused.
     *
     * @param argument as it was typed, with or without {@code =value}
     * @return a sentence, or null if the C programs have no such option either
     */
    static @Nullable String refusal(String argument) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        if (!name.startsWith("--") && name.length() > 2) {
            name = name.substring(0, 2); // a letter with its value behind it
        }
        String reason = REASONS.get(name);
        return reason == null ? null : "the C program's option " + name + " is not supported: " + reason;
    }
}
