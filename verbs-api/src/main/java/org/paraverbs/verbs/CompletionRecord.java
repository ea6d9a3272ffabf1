// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.verbs;

/**
 * A completion that may be kept. The components are those of {@link WorkCompletion}.
 *
 * @param id the id of the request
 * @param status how it ended
 * @param rawStatus the code of the status
 * @param opcode what completed
 * @param byteLength the number of bytes that were received or read
 * @param hasImmediate whether there is immediate data
 * @param immediate the immediate data in host order
 * @param qpn the number of the queue pair
 * @param sourceQpn the number of the queue pair that sent a datagram
 * @param sourceLid the LID of the sender of a datagram
 * @param serviceLevel the service level of a datagram
 * @param hasGlobalRouteHeader whether a datagram's receive begins with its global route header
 * @param vendorError the vendor's own error code
 * @param hasInvalidatedKey whether the message has invalidated a key
 * @param invalidatedKey the remote key that was invalidated, 0 if none
 * @param hasTimestamp whether there is a timestamp
 * @param timestamp when the completion was made, 0 if unknown
 */
public record CompletionRecord(
        long id,
        CompletionStatus status,
        int rawStatus,
        Opcode opcode,
        long byteLength,
        boolean hasImmediate,
        int immediate,
        int qpn,
        int sourceQpn,
        int sourceLid,
        int serviceLevel,
        boolean hasGlobalRouteHeader,
        int vendorError,
        boolean hasInvalidatedKey,
        int invalidatedKey,
        boolean hasTimestamp,
        long timestamp)
        implements WorkCompletion {

    /** A completion that invalidated no key and has no timestamp; the arguments are as above. */
    public CompletionRecord(
            long id,
            CompletionStatus status,
            int rawStatus,
            Opcode opcode,
            long byteLength,
            boolean hasImmediate,
            int immediate,
            int qpn,
            int sourceQpn,
            int sourceLid,
            int serviceLevel,
            boolean hasGlobalRouteHeader,
            int vendorError) {
        this(
                id,
                status,
                rawStatus,
                opcode,
                byteLength,
                hasImmediate,
                immediate,
                qpn,
                sourceQpn,
                sourceLid,
                serviceLevel,
                hasGlobalRouteHeader,
                vendorError,
                false,
                0,
                false,
                0);
    }

    @Override
    public CompletionRecord copy() {
        return this;
    }

    /** One line: the request, the queue pair, the status in words, and the vendor error of a failed one. */
    @Override
    public String toString() {
        String request = "request " + id + " of QP 0x" + Integer.toHexString(qpn);
        if (isSuccess()) {
            return request + ", " + opcode + ", " + byteLength + " bytes, success";
        }
        return request + ", " + status.words() + " (status " + rawStatus + ", vendor error 0x"
                + Integer.toHexString(vendorError) + ")";
    }
}
