import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Sealer } from '#crypto';
import { isTenantId, type TenantId } from '#kernel';
import type { KnownHead } from './domain/known-head.ts';

export type KnownHeads = Map<TenantId, KnownHead>;

const SEAL_CONTEXT = 'audit/known-heads';

/** One sealed file of remembered heads, 0600, replaced as a whole. Whoever lacks the envelope key can remove it or put an old one back, not write one. */
export interface HeadsFile {
  /** Empty where there is none. Rejects where it cannot be opened: damaged, forged, or of another envelope key. */
  read(): Promise<KnownHeads>;
  write(heads: KnownHeads): Promise<void>;
  /** Changes whenever the file does; empty where there is none. */
  version(): Promise<string>;
}

const isMissing = (error: unknown): boolean => Reflect.get(Object(error), 'code') === 'ENOENT';

function decode(text: string): KnownHeads {
  const rows = JSON.parse(text) as [tenant: string, seq: string, hash: string, atMs: number][];
  const heads: KnownHeads = new Map();
  for (const [tenant, seq, hash, atMs] of rows)
    if (isTenantId(tenant)) heads.set(tenant, { seq: BigInt(seq), hash: Buffer.from(hash, 'base64'), atMs });
  return heads;
}

const encode = (heads: KnownHeads): string =>
  JSON.stringify([...heads].map(([tenant, { seq, hash, atMs }]) => [tenant, seq.toString(), hash.toString('base64'), atMs]));

export function createHeadsFile(path: string, sealer: Pick<Sealer, 'seal' | 'open'>): HeadsFile {
  return {
    async read() {
      try {
        return decode(sealer.open(await readFile(path), SEAL_CONTEXT).toString('utf8'));
      } catch (error) {
        if (isMissing(error)) return new Map();
        throw error;
      }
    },
    async write(heads) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const beside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
      const file = await open(beside, 'wx', 0o600);
      try {
        await file.writeFile(sealer.seal(encode(heads), SEAL_CONTEXT));
        await file.sync();
        await file.close();
        await rename(beside, path);
      } catch (error) {
        await file.close().catch(() => {});
        await rm(beside, { force: true });
        throw error;
      }
    },
    async version() {
      try {
        const { mtimeMs, ino, size } = await stat(path);
        return `${ino}/${mtimeMs}/${size}`;
      } catch (error) {
        if (isMissing(error)) return '';
        throw error;
      }
    },
  };
}
