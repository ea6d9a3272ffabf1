// SPDX-License-Identifier: Apache-2.0
package org.paraverbs.pvrdma.contract;

import org.paraverbs.verbs.contract.NotificationContract;

class EmuNotificationTest extends NotificationContract implements EmuDevices {}
