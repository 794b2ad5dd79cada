import { type FileHandle, open, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const HEAD_BYTES = 8;
/** Larger ones are none of ours: the file is damaged there. */
const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** A record as it lies in a file: length and CRC-32, 4 bytes each, then the bytes. */
export function frame(record: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(record.length, 0);
  head.writeUInt32BE(crc32(record), 4);
  return Buffer.concat([head, record]);
}

/** All whole records of a file; what follows one that is torn or damaged is lost, and nothing before it. */
export async function readRecords(path: string): Promise<Buffer[]> {
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  const records: Buffer[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const end = at + HEAD_BYTES + length;
    if (length > MAX_RECORD_BYTES || end > bytes.length) break;
    const record = bytes.subarray(at + HEAD_BYTES, end);
    if (crc32(record) !== bytes.readUInt32BE(at + 4)) break;
    records.push(record);
    at = end;
  }
  return records;
}

/** A file that is written at its end. After a failure nothing more is written into it: its end may be torn. */
export class SegmentWriter {
  readonly #handle: FileHandle;
  #isDirty = false;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  static async create(path: string): Promise<SegmentWriter> {
    return new SegmentWriter(await open(path, 'wx', 0o600));
  }

  async append(framed: Buffer): Promise<void> {
    this.#isDirty = true;
    await this.#handle.appendFile(framed);
  }

  async sync(): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close().catch(() => {});
  }
}
