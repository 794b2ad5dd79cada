import { crc32 } from 'node:zlib';
import type { LogFile, LogFiles } from './files.ts';

/** What a group has handled of a topic: everything of partition p below `positions[p]`. */
export interface GroupPositions {
  positions: number[];
  /** When a subscription of the group was last open, Unix milliseconds. */
  seenMs: number;
}

/** Two slots written in turn, each durable before the other is touched: a torn write leaves the one before. */
export interface PositionFile {
  /** What stood in it at opening; undefined when nothing readable did. */
  readonly saved: GroupPositions | undefined;
  save(value: GroupPositions): Promise<void>;
  close(): Promise<void>;
}

const SLOT_BYTES = 4096;

interface Slot extends GroupPositions {
  turn: number;
}

function readSlot(bytes: Buffer): Slot | undefined {
  const length = bytes.readUInt32LE(4);
  if (length === 0 || length > SLOT_BYTES - 8) return undefined;
  const text = bytes.subarray(8, 8 + length);
  if (crc32(text) !== bytes.readUInt32LE(0)) return undefined;
  return JSON.parse(text.toString('latin1')) as Slot;
}

function writeSlot(slot: Slot): Buffer {
  const bytes = Buffer.alloc(SLOT_BYTES);
  const length = bytes.write(JSON.stringify(slot), 8, 'latin1');
  bytes.writeUInt32LE(length, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(8, 8 + length)), 0);
  return bytes;
}

async function readSlots(file: LogFile): Promise<Slot | undefined> {
  const bytes = Buffer.alloc(2 * SLOT_BYTES);
  await file.read(bytes, 0);
  const slots = [readSlot(bytes.subarray(0, SLOT_BYTES)), readSlot(bytes.subarray(SLOT_BYTES))];
  return slots.filter((slot) => slot !== undefined).sort((a, b) => b.turn - a.turn)[0];
}

/** Opens or makes the file; its full length is written at once, so that saving needs no room on a full disk. */
export async function openPositionFile(files: LogFiles, folder: string, name: string): Promise<PositionFile> {
  const file = await files.open(`${folder}/${name}`, 'create');
  const found = await readSlots(file);
  let turn = found?.turn ?? 0;
  if (!found && (await file.size()) < 2 * SLOT_BYTES) {
    await file.write([Buffer.alloc(2 * SLOT_BYTES)], 0);
    await files.syncFolder(folder);
  }
  return {
    saved: found && { positions: found.positions, seenMs: found.seenMs },
    async save(value) {
      const next = turn + 1;
      await file.write([writeSlot({ ...value, turn: next })], (next % 2) * SLOT_BYTES);
      // Counted only now: after a failed save the same slot is tried again and the good one stays.
      turn = next;
    },
    close: () => file.close(),
  };
}
