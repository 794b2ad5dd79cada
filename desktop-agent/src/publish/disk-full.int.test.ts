import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from './ledger.ts';
import { openDiskSpool } from './spool-disk.ts';
import { createSpoolLossWords } from './spool-loss.ts';

/** A real file system that really is full: a small tmpfs, which only root can mount. */
const reason =
  process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'mounting a small disk needs Linux and root';
if (reason) process.stderr.write(`SKIPPED: a full disk under the spool: ${reason}\n`);

let disk: string;
beforeEach(async () => {
  disk = await mkdtemp(join(tmpdir(), 'svc-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
});
afterEach(async () => {
  execFileSync('umount', ['-l', disk]);
  await rm(disk, { recursive: true });
});

const record = (n: number): Buffer => Buffer.from(String(n).padEnd(900, '.'));
const number = (bytes: Uint8Array): number => Number.parseInt(Buffer.from(bytes).toString(), 10);

describe.skipIf(reason)('on a full disk', () => {
  it('the spool drops its oldest, counts and tells them, keeps the order, and recovers', async () => {
    const spool = await openDiskSpool({ directory: join(disk, 'spool'), maxBytes: 20 << 20, segmentBytes: 20_000 });
    const words = createSpoolLossWords(() => 0);
    expect(words(spool.status())).toBeUndefined();
    let sawFull = false;
    const told: string[] = [];
    for (let i = 0; i < 600; i++) {
      await spool.append([record(i)]);
      sawFull ||= spool.status().diskFull;
      const said = words(spool.status());
      if (said !== undefined) told.push(said);
    }
    const { results, dropped } = spool.status();
    expect(sawFull).toBe(true);
    expect(results + dropped).toBe(600);
    expect(results).toBeGreaterThan(100);
    expect(told.at(0)).toMatch(/The disk is full|at its bound/);
    const seen: number[] = [];
    for (
      let batch = await spool.next({ results: 50, bytes: 1 << 20 });
      batch;
      batch = await spool.next({ results: 50, bytes: 1 << 20 })
    )
      seen.push(...batch.records.map(number));
    expect(seen).toEqual(Array.from({ length: results }, (_, i) => dropped + i));
    await spool.close();
  });

  it('even with no room for a single record the agent goes on, and takes up again when there is room', async () => {
    const spool = await openDiskSpool({ directory: join(disk, 'spool'), maxBytes: 20 << 20, segmentBytes: 20_000 });
    const filler = join(disk, 'filler');
    try {
      writeFileSync(filler, Buffer.alloc(300_000));
    } catch {
      // Filled to the brim, as wanted.
    }
    for (let i = 0; i < 5; i++) await spool.append([record(i)]);
    expect(spool.status()).toMatchObject({ diskFull: true, dropped: 5, results: 0 });
    await rm(filler);
    await spool.append([record(5)]);
    expect(spool.status()).toMatchObject({ diskFull: false, results: 1 });
    await spool.close();
  });

  it('the ledger warns once and never stops the sending', async () => {
    const warnings: string[] = [];
    const ledger = await openLedger({ directory: join(disk, 'ledger') }, (message) => warnings.push(message));
    for (let i = 0; i < 400; i++) {
      const noise = Array.from({ length: 80 }, () => Math.random().toString(36)).join('');
      await ledger.append({ at: i, server: noise, results: [] });
    }
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('ENOSPC');
    await ledger.close();
  });
});
