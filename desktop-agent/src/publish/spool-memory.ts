import type { Spool } from './spool.ts';

/** A spool without a disk, for simulated agents by the thousand. Marks count records since the start. */
export function createMemorySpool(maxBytes: number): Spool {
  let held: Uint8Array[] = [];
  let first = 0;
  let given = 0;
  let bytes = 0;
  let dropped = 0;
  const shift = (count: number): void => {
    for (const record of held.slice(0, count)) bytes -= record.length;
    held = held.slice(count);
    first += count;
    given = Math.max(given, first);
  };
  return {
    async append(records) {
      for (const record of records) {
        held.push(record);
        bytes += record.length;
      }
      let over = 0;
      for (let excess = bytes - maxBytes; excess > 0 && over < held.length; over++) excess -= held[over]?.length ?? 0;
      if (over > 0) {
        shift(over);
        dropped += over;
      }
    },
    async next(bounds) {
      const records: Uint8Array[] = [];
      let size = 0;
      for (let at = given - first; at < held.length && records.length < bounds.results; at++) {
        const record = held[at] as Uint8Array;
        if (records.length > 0 && size + record.length > bounds.bytes) break;
        records.push(record);
        size += record.length;
      }
      if (records.length === 0) return undefined;
      given += records.length;
      return { records, end: { segment: 0, offset: given, records: given } };
    },
    async ack(end) {
      if (end.offset > first) shift(end.offset - first);
    },
    async rewind() {
      given = first;
    },
    status: () => ({ results: held.length, bytes, dropped, diskFull: false }),
    async close() {},
  };
}
