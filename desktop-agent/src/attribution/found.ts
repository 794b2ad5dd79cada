import type { FaultFact } from '@svc/contracts/judged/fault';

/** A fault and how surely it is this one and no other, 0 to 1, before doubts about layers that were not seen. */
export interface Found {
  fault: FaultFact;
  sureness: number;
}
