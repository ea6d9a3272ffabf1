// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.guest.kernel;

/**
 * Is told of a context's asynchronous events, by the thread that runs the device, and by those that tell the driver of the
 * network: must neither wait nor throw nor call the driver.
 */
public interface EventListener {

    /**
     * An event of a queue pair of the context.
     *
     * @param type of {@link org.paraverbs.pvrdma.abi.EventType}
     * @param handle the queue pair's handle
     */
    void onQueuePairEvent(int type, int handle);

    /**
     * An event of a completion queue of the context.
     *
     * @param type of {@link org.paraverbs.pvrdma.abi.EventType}
     * @param handle the completion queue's handle
     */
    void onCompletionQueueEvent(int type, int handle);

    /**
     * An event of a shared receive queue of the context.
     *
     * @param type of {@link org.paraverbs.pvrdma.abi.EventType}
     * @param handle the shared receive queue's handle
     */
    void onSharedReceiveQueueEvent(int type, int handle);

    /**
     * An event of a port, or of the whole device, told to every context.
     *
     * @param type of {@link org.paraverbs.pvrdma.abi.EventType}
     * @param port the port
     */
    void onPortEvent(int type, int port);
}
