import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { AppError, type Clock, type RowsOfTable, type TenantId } from '#kernel';

export const MANIFEST_FILE = 'manifest.json';

export interface ExportedFile {
  table: string;
  file: string;
  rows: number;
  bytes: number;
  sha256: string;
}

/** What an export holds; rows that came in between the two times may or may not be among them. */
export interface ExportManifest {
  format: 1;
  tenant: string;
  began_at: string;
  finished_at: string;
  files: ExportedFile[];
}

export interface WrittenExport {
  manifest: ExportManifest;
  /** Of the manifest's file, which holds the hashes of all others. */
  sha256: string;
}

/** Tables name files. */
const TABLE = /^[a-z][a-z0-9_]*$/;

async function createFile(path: string): Promise<FileHandle> {
  return await open(path, 'wx', 0o600);
}

async function finishFile(handle: FileHandle): Promise<void> {
  await handle.sync();
  await handle.close();
}

async function writeManifest(path: string, text: string): Promise<void> {
  const handle = await createFile(path);
  await handle.writeFile(text);
  await finishFile(handle);
}

/** One file a table, open until the export ends: a slice may give its tables in turns. */
function createTableFiles(folder: string) {
  const files = new Map<string, { handle: FileHandle; hash: Hash; rows: number; bytes: number }>();
  async function fileOf(table: string) {
    if (!TABLE.test(table)) throw new AppError('internal', 'Invalid name of an exported table.');
    const known = files.get(table);
    if (known) return known;
    const file = { handle: await createFile(join(folder, `${table}.ndjson`)), hash: createHash('sha256'), rows: 0, bytes: 0 };
    files.set(table, file);
    return file;
  }
  return {
    async add({ table, rows }: RowsOfTable): Promise<void> {
      const file = await fileOf(table);
      const lines = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      await file.handle.writeFile(lines);
      file.hash.update(lines);
      file.rows += rows.length;
      file.bytes += lines.length;
    },
    async finish(): Promise<ExportedFile[]> {
      const finished: ExportedFile[] = [];
      for (const [table, { handle, hash, rows, bytes }] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
        await finishFile(handle);
        finished.push({ table, file: `${table}.ndjson`, rows, bytes, sha256: hash.digest('hex') });
      }
      return finished;
    },
    async abandon(): Promise<void> {
      for (const { handle } of files.values()) await handle.close().catch(() => undefined);
    },
  };
}

const codeOf = (error: unknown): string => String(Reflect.get(Object(error), 'code') ?? '');

const unwritable = (out: string, cause: unknown): AppError =>
  cause instanceof AppError ? cause : new AppError('unavailable', `${out} cannot be written (${codeOf(cause)}).`, { cause });

/** The folder beside `out` in which an export is made; `conflict` where `out` is there already. */
async function makeFolder(out: string): Promise<string> {
  if (existsSync(out)) throw new AppError('conflict', `${out} exists already. Name a folder that does not.`);
  return await mkdtemp(`${out}.partial-`).catch((cause: unknown) => {
    throw unwritable(out, cause);
  });
}

export interface ExportTarget {
  tenant: TenantId;
  /** A folder that is not there yet. */
  out: string;
  clock: Clock;
}

/**
 * Writes one file a table and a manifest, a page in memory at a time, readable by their owner alone. The folder gets its name when all of
 * it is on disk: after a failure there is none. A process that is killed leaves `OUT.partial-*` behind.
 */
export async function writeExport(source: AsyncIterable<RowsOfTable>, target: ExportTarget): Promise<WrittenExport> {
  const out = resolve(target.out);
  const folder = await makeFolder(out);
  const files = createTableFiles(folder);
  const written = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      throw unwritable(out, cause);
    });
  const beganAt = new Date(target.clock.now()).toISOString();
  try {
    for await (const page of source) await written(files.add(page));
    const exported = await written(files.finish());
    const finishedAt = new Date(target.clock.now()).toISOString();
    const manifest: ExportManifest = {
      ...{ format: 1, tenant: target.tenant, began_at: beganAt, finished_at: finishedAt },
      files: exported,
    };
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await written(writeManifest(join(folder, MANIFEST_FILE), text).then(() => rename(folder, out)));
    return { manifest, sha256: createHash('sha256').update(text).digest('hex') };
  } catch (error) {
    await files.abandon();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
