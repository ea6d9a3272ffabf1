# SPDX-License-Identifier: Apache-2.0
"""Two queue pairs of one process: what a project's own test might look like."""

import unittest

import pyverbs.device
import pyverbs.enums as e
from pyverbs.addr import AHAttr, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

BYTES = 4096


class ExchangeTest(unittest.TestCase):
    def test_a_message_arrives(self):
        name = pyverbs.device.get_device_list()[0].name.decode()
        with Context(name=name) as context, PD(context) as pd, CQ(context, 16) as cq:
            source = MR(pd, BYTES, e.IBV_ACCESS_LOCAL_WRITE)
            target = MR(pd, BYTES, e.IBV_ACCESS_LOCAL_WRITE)
            wanted = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap(1, 1, 1, 1))
            left, right = QP(pd, wanted), QP(pd, wanted)
            gid = context.query_gid(1, 0)
            for qp, peer in ((left, right), (right, left)):
                route = AHAttr(port_num=1, is_global=1, gr=GlobalRoute(dgid=gid, sgid_index=0))
                attributes = QPAttr(port_num=1)
                attributes.dest_qp_num = peer.qp_num
                attributes.path_mtu = e.IBV_MTU_1024
                attributes.ah_attr = route
                attributes.timeout, attributes.retry_cnt, attributes.rnr_retry = 14, 7, 7
                qp.to_rts(attributes)

            source.write("x" * BYTES, BYTES)
            right.post_recv(RecvWR(wr_id=1, num_sge=1, sg=[SGE(target.buf, BYTES, target.lkey)]))
            left.post_send(SendWR(wr_id=2, num_sge=1, sg=[SGE(source.buf, BYTES, source.lkey)]))
            completions = []
            while len(completions) < 2:
                completions += cq.poll()[1]
            self.assertEqual({e.IBV_WC_SUCCESS}, {completion.status for completion in completions})
            self.assertEqual(b"x" * BYTES, target.read(BYTES, 0))
            for thing in (left, right, source, target):
                thing.close()


if __name__ == "__main__":
    unittest.main()
