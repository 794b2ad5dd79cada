import { crc32 } from 'node:zlib';

/** A record on disk: length and CRC-32 (4 bytes each, big-endian), then its bytes. A torn tail fails its checksum. */
export const FRAME_BYTES = 8;

export function encodeFrames(records: readonly Uint8Array[]): Buffer {
  const frames = Buffer.allocUnsafe(records.reduce((sum, record) => sum + FRAME_BYTES + record.length, 0));
  let at = 0;
  for (const record of records) {
    frames.writeUInt32BE(record.length, at);
    frames.writeUInt32BE(crc32(record), at + 4);
    frames.set(record, at + FRAME_BYTES);
    at += FRAME_BYTES + record.length;
  }
  return frames;
}

export interface DecodedFrames {
  records: Buffer[];
  /** Bytes that held whole frames. */
  bytes: number;
  /** What follows is no frame at all, rather than one that is cut off. */
  corrupt: boolean;
}

/** Reads whole frames from the start of `bytes`, at most `limit`; stops before what is cut off or damaged. */
export function decodeFrames(bytes: Buffer, limit: number): DecodedFrames {
  const records: Buffer[] = [];
  let at = 0;
  while (records.length < limit && at + FRAME_BYTES <= bytes.length) {
    const length = bytes.readUInt32BE(at);
    const end = at + FRAME_BYTES + length;
    if (end > bytes.length) return { records, bytes: at, corrupt: false };
    const record = bytes.subarray(at + FRAME_BYTES, end);
    if (crc32(record) !== bytes.readUInt32BE(at + 4)) return { records, bytes: at, corrupt: true };
    records.push(record);
    at = end;
  }
  return { records, bytes: at, corrupt: false };
}
