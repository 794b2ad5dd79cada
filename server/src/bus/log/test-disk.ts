import { setImmediate as turn } from 'node:timers/promises';
import { BLOCK_BYTES, type LogFile, type LogFiles } from './files.ts';

/** A disk in memory that remembers what was synced, for tests: its power can be cut, it can be full, broken or hang. */
export interface TestDisk extends LogFiles {
  /** Whether it takes blocks past a cache. */
  direct: boolean;
  /** Bytes it takes in all files together; more is ENOSPC after a part was written. */
  capacity: number;
  /** Every sync waits for this first; reject to make it fail. */
  beforeSync: () => Promise<void>;
  syncs: number;
  /** The next use of the old disk throws; what the new one holds is what a power cut may leave. */
  cutPower(): TestDisk;
  /** Changes a byte that was synced. */
  damage(path: string, position: number): void;
  paths(): string[];
}

interface Inode {
  now: Buffer;
  synced: Buffer;
}

interface State {
  names: Map<string, Inode>;
  syncedNames: Map<string, Inode>;
  dead: boolean;
  random: () => number;
}

const PAGE = 4096;
const SECTOR = 512;

const fail = (code: string): NodeJS.ErrnoException => Object.assign(new Error(`${code}: test disk`), { code });

/** mulberry32: the same seed gives the same faults. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** What a cut leaves of a file: any length between old and new; each unsynced page written, not written, or any of its sectors. */
function survivor(inode: Inode, random: () => number): Buffer {
  const { now, synced } = inode;
  const [low, high] = [Math.min(now.length, synced.length), Math.max(now.length, synced.length)];
  const length = [low, high, low + Math.floor(random() * (high - low + 1))][Math.floor(random() * 3)] as number;
  const left = Buffer.alloc(length);
  for (let at = 0; at < length; at += PAGE) {
    const kind = random();
    for (let sector = at; sector < Math.min(at + PAGE, length); sector += SECTOR) {
      const isNew = kind < 0.4 || (kind >= 0.8 && random() < 0.5);
      left.set((isNew ? now : synced).subarray(sector, Math.min(sector + SECTOR, length)), sector);
    }
  }
  return left;
}

function afterCut(state: State): Map<string, Inode> {
  const left = new Map<string, Inode>();
  for (const path of new Set([...state.names.keys(), ...state.syncedNames.keys()])) {
    const [now, synced] = [state.names.get(path), state.syncedNames.get(path)];
    const inode = now === synced || state.random() < 0.5 ? now : synced;
    if (!inode) continue;
    const content = survivor(inode, state.random);
    left.set(path, { now: content, synced: Buffer.from(content) });
  }
  return left;
}

async function step(state: State): Promise<void> {
  await turn();
  if (state.dead) throw fail('EIO');
}

function used(state: State): number {
  return [...state.names.values()].reduce((sum, inode) => sum + inode.now.length, 0);
}

function put(inode: Inode, bytes: Buffer, position: number): void {
  const grown = Buffer.alloc(Math.max(inode.now.length, position + bytes.length));
  inode.now.copy(grown);
  bytes.copy(grown, position);
  inode.now = grown;
}

function openInode(disk: TestDisk, state: State, inode: Inode): LogFile {
  return {
    async write(buffers, position) {
      await step(state);
      const buffer = Buffer.concat(buffers);
      const growth = Math.max(0, position + buffer.length - inode.now.length);
      const room = disk.capacity - used(state);
      if (growth <= room) {
        put(inode, buffer, position);
        return await this.sync();
      }
      put(inode, buffer.subarray(0, Math.max(0, buffer.length - (growth - Math.max(room, 0)))), position);
      throw fail('ENOSPC');
    },
    async read(buffer, position) {
      await step(state);
      return inode.now.copy(buffer, 0, position);
    },
    async sync() {
      await disk.beforeSync();
      await step(state);
      disk.syncs++;
      inode.synced = Buffer.from(inode.now);
    },
    async truncate(length) {
      await step(state);
      const cut = Buffer.alloc(length);
      inode.now.copy(cut);
      inode.now = cut;
    },
    size: async () => inode.now.length,
    close: async () => {},
  };
}

const isInBlocks = (buffer: Buffer, position: number): boolean =>
  (buffer.buffer as ArrayBufferLike) instanceof SharedArrayBuffer &&
  [position, buffer.byteOffset, buffer.length].every((number) => number % BLOCK_BYTES === 0);

/** Refuses what a disk does, and takes the rest. */
function directFile(disk: TestDisk, file: LogFile): LogFile {
  const check = (buffers: readonly Buffer[], position: number): void => {
    if (!disk.direct || !buffers.every((buffer) => isInBlocks(buffer, position))) throw fail('EINVAL');
  };
  return {
    ...file,
    async write(buffers, position) {
      check(buffers, position);
      await file.write(buffers, position);
    },
    async read(buffer, position) {
      check([buffer], position);
      return await file.read(buffer, position);
    },
  };
}

function diskOf(state: State): TestDisk {
  const disk: TestDisk = {
    direct: true,
    capacity: Number.POSITIVE_INFINITY,
    beforeSync: async () => {},
    syncs: 0,
    makeFolder: async () => {},
    list: async (folder) => {
      const under = [...state.names.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(under.map((path) => path.slice(folder.length + 1).split('/')[0] as string))];
    },
    async open(path, mode) {
      await step(state);
      const known = state.names.get(path);
      if (!known && mode === 'existing') throw fail('ENOENT');
      const inode = known ?? { now: Buffer.alloc(0), synced: Buffer.alloc(0) };
      if (mode === 'truncate') inode.now = Buffer.alloc(0);
      state.names.set(path, inode);
      return openInode(disk, state, inode);
    },
    async openDirect(path, mode) {
      const file = await disk.open(path, mode);
      return directFile(disk, file);
    },
    async remove(path) {
      await step(state);
      state.names.delete(path);
    },
    async rename(from, to) {
      await step(state);
      state.names.set(to, state.names.get(from) as Inode);
      state.names.delete(from);
    },
    async syncFolder(folder) {
      await step(state);
      const inside = (path: string) => path.startsWith(`${folder}/`);
      for (const path of [...state.syncedNames.keys()].filter(inside)) if (!state.names.has(path)) state.syncedNames.delete(path);
      for (const [path, inode] of state.names) if (inside(path)) state.syncedNames.set(path, inode);
    },
    cutPower() {
      state.dead = true;
      const left = afterCut(state);
      const disk = diskOf({ names: left, syncedNames: new Map(left), dead: false, random: state.random });
      return Object.assign(disk, { direct: this.direct });
    },
    damage(path, position) {
      const inode = state.names.get(path) as Inode;
      inode.now[position] = (inode.now[position] as number) ^ 0xff;
    },
    paths: () => [...state.names.keys()],
  };
  return disk;
}

/** An empty disk; the seed decides what its power cuts leave. */
export const createTestDisk = (seed: number): TestDisk =>
  diskOf({ names: new Map(), syncedNames: new Map(), dead: false, random: seededRandom(seed) });
