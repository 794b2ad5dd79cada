import { decodeRecord } from '@svc/desktop-agent/headless';

/** One encoded result whose id and start are written anew before each sending, so that making it costs the sender nothing. */
export interface Template {
  bytes: Buffer;
  startAt: number;
}

const STARTED_AT_FIELD = 7;

function readVarint(bytes: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  let scale = 1;
  let next = at;
  for (;;) {
    const byte = bytes[next++] ?? 0;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next };
    scale *= 128;
  }
}

/** Where a message of proto/agent.proto holds its start: fields are skipped by their wire type. */
function findStart(bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    if (Math.floor(tag.value / 8) === STARTED_AT_FIELD) return tag.next;
    const wire = tag.value & 7;
    if (wire === 0) at = readVarint(bytes, tag.next).next;
    else if (wire === 1) at = tag.next + 8;
    else {
      const length = readVarint(bytes, tag.next);
      at = length.next + length.value;
    }
  }
  throw new Error('a result without a start');
}

/** From a record of the agent's spool. */
export function makeTemplate(record: Buffer): Template {
  decodeRecord(record);
  const bytes = Buffer.from(record.subarray(4, 4 + record.readUInt32BE(0)));
  return { bytes, startAt: findStart(bytes) };
}

/** A result with a UUIDv7 of its own that starts now; `count` rises over the whole run of one sender. */
export function stampTemplate({ bytes, startAt }: Template, at: { ms: number; sender: number; count: number }): Buffer {
  const out = Buffer.from(bytes);
  // Field 1 comes first: tag, length 16, then the id.
  out.writeUIntBE(at.ms, 2, 6);
  out.writeUInt16BE(0x7000 | (at.sender & 0xfff), 8);
  out.writeUInt32BE((0x80000000 | (at.count >>> 16)) >>> 0, 10);
  out.writeUInt32BE(((at.count & 0xffff) << 16) >>> 0, 14);
  let us = at.ms * 1000;
  // Times of one era have one length: the old one is overwritten in place.
  for (let to = startAt; ; to += 1) {
    const more = us >= 0x80;
    out[to] = (us % 0x80) | (more ? 0x80 : 0);
    us = Math.floor(us / 0x80);
    if (!more) return out;
  }
}
