import { wireResult } from '@svc/contracts/agent/messages';
import type { Collect } from '../privacy/collect.ts';
import { type Minimised, minimise } from '../privacy/minimise.ts';
import { fromWire, toWire } from '../result.ts';

/**
 * What waits in the spool: the result exactly as it will be sent, then what was withheld from it as JSON. The second part never
 * leaves the device; it is there so that the ledger can show a payload before and after minimising.
 */
export function encodeRecord(minimised: Minimised): Buffer {
  const wire = wireResult.encode(toWire(minimised.result));
  const kept = Object.keys(minimised.withheld).length > 0 ? Buffer.from(JSON.stringify(minimised.withheld)) : Buffer.alloc(0);
  const record = Buffer.allocUnsafe(4 + wire.length + kept.length);
  record.writeUInt32BE(wire.length, 0);
  record.set(wire, 4);
  record.set(kept, 4 + wire.length);
  return record;
}

/** The part that is sent, as encoded bytes. */
export function wirePart(record: Uint8Array): Uint8Array {
  const length = Buffer.from(record.buffer, record.byteOffset, 4).readUInt32BE(0);
  return record.subarray(4, 4 + length);
}

/** The record under stricter rules than those it was made under; itself where they take nothing from it. */
export function restrictRecord(record: Uint8Array, collect: Readonly<Collect>): Uint8Array {
  const before = decodeRecord(record);
  const { result, withheld } = minimise(before.result, collect);
  return Object.keys(withheld).length === 0 ? record : encodeRecord({ result, withheld: { ...before.withheld, ...withheld } });
}

/** Throws on bytes that are no record. */
export function decodeRecord(record: Uint8Array): Minimised {
  const wire = wirePart(record);
  const kept = Buffer.from(record.subarray(4 + wire.length)).toString('utf8');
  return { result: fromWire(wireResult.decode(wire)), withheld: kept === '' ? {} : JSON.parse(kept) };
}
