import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ledgerEntry, ledgerPage } from '../faces/ledger-view.ts';
import { COLLECT_NOTHING } from '../privacy/collect.ts';
import { minimise } from '../privacy/minimise.ts';
import { emptyResult } from '../result.ts';
import { decodeFrames, encodeFrames } from './frames.ts';
import { type LedgerBlock, openLedger } from './ledger.ts';
import { createLedgerIndex, type LedgerIndex } from './ledger-index.ts';

const NOW = Date.parse('2026-11-21T20:00:00Z');
const MINUTE_MS = 60_000;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-ledger-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const fail = (message: string): never => {
  throw new Error(message);
};
const blockOf = (n: number, atMs: number): LedgerBlock => {
  const full = emptyResult('endpoint.wifi', {
    resultId: `0190a6c0-0000-7000-8000-${String(n).padStart(12, '0')}`,
    startedAtMs: atMs,
  });
  full.metrics['rssi.dbm'] = -40 - (n % 40);
  full.attributes['network.wifi.ssid'] = `Ward-${n}`;
  full.attributes['network.connection.type'] = 'wifi';
  return { at: atMs, server: 'monitor.example:8444', results: [minimise(full, COLLECT_NOTHING)], bytes: 100 };
};

async function fill(count: number, everyMs = MINUTE_MS): Promise<LedgerIndex> {
  const ledger = await openLedger({ directory }, fail);
  for (let n = 0; n < count; n++) await ledger.append(blockOf(n, NOW - (count - 1 - n) * everyMs));
  await ledger.close();
  return createLedgerIndex(directory, () => NOW);
}
const segments = async (): Promise<string[]> =>
  (await readdir(directory)).filter((name) => name.endsWith('.seg')).map((name) => join(directory, name));
/** The one segment that holds something. */
async function filled(): Promise<{ path: string; records: Buffer[] }> {
  for (const path of await segments()) {
    const { records } = decodeFrames(await readFile(path), 10_000);
    if (records.length > 0) return { path, records };
  }
  return fail('no segment');
}

describe('pages', () => {
  it('gives the newest first and goes on where it ended', async () => {
    const index = await fill(7);
    const first = await ledgerPage(index, { limit: 3 });
    expect(first).toMatchObject({ total: 7, intact: true, todayEntries: 7, todayBytes: 700 });
    expect(first.entries.map((entry) => entry.atMs)).toEqual([NOW, NOW - MINUTE_MS, NOW - 2 * MINUTE_MS]);
    expect(first.entries[0]).toMatchObject({ types: ['endpoint.wifi'], results: 1, bytes: 100, minimised: 1, intact: true });
    const second = await ledgerPage(index, { limit: 3, before: first.next ?? 0 });
    const third = await ledgerPage(index, { limit: 3, before: second.next ?? 0 });
    expect([...first.entries, ...second.entries, ...third.entries].map((entry) => entry.id)).toHaveLength(7);
    expect(third).toMatchObject({ next: null, entries: [{ atMs: NOW - 6 * MINUTE_MS }] });
  });

  it('finds text in what was sent and in what was kept back, and shows both as canonical JSON', async () => {
    const index = await fill(30);
    const found = await ledgerPage(index, { limit: 10, search: ' WARD-17 ' });
    expect(found).toMatchObject({ total: 1, next: null, entries: [{ results: 1 }] });
    const { results } = await ledgerEntry(index, { id: found.entries[0]?.id ?? -1 });
    const [before, sent] = [JSON.parse(results[0]?.before ?? ''), JSON.parse(results[0]?.sent ?? '')];
    expect(before.attributes['network.wifi.ssid']).toBe('Ward-17');
    expect(sent.attributes).toEqual({ 'network.connection.type': 'wifi', 'unavailable.network.wifi.ssid': 'withheld' });
    expect(Object.keys(sent)).toEqual(Object.keys(sent).toSorted());
    expect(results[0]?.withheld).toEqual(['network.wifi.ssid']);
    expect((await ledgerPage(index, { limit: 10, search: 'nobody' })).total).toBe(0);
    await expect(ledgerEntry(index, { id: 12 })).rejects.toMatchObject({ code: 'failed' });
  });

  it('sees what is written meanwhile, under the same ids', async () => {
    const index = await fill(3);
    const before = await ledgerPage(index, { limit: 10 });
    const ledger = await openLedger({ directory }, fail);
    await ledger.append(blockOf(3, NOW));
    const during = await ledgerPage(index, { limit: 10 });
    await ledger.append(blockOf(4, NOW));
    const after = await ledgerPage(index, { limit: 10 });
    await ledger.close();
    expect([before.total, during.total, after.total]).toEqual([3, 4, 5]);
    expect(after.entries.slice(2)).toEqual(before.entries);
    expect(after.intact).toBe(true);
  });

  it('shows seven days and no more, a week in seconds and its next page at once', async () => {
    const index = await fill(9000, MINUTE_MS * 1.2);
    const began = performance.now();
    const first = await ledgerPage(index, { limit: 50 });
    expect(performance.now() - began).toBeLessThan(4000);
    expect(first.total).toBe(8400);
    const next = performance.now();
    await ledgerPage(index, { limit: 50, before: first.next ?? 0 });
    expect(performance.now() - next).toBeLessThan(250);
  });

  it('cuts a batch that is larger than a frame into several answers', async () => {
    const ledger = await openLedger({ directory }, fail);
    const many = Array.from({ length: 900 }, (_, n) => {
      const [result] = blockOf(n, NOW).results;
      return result ? { ...result, withheld: { 'hop.3.address': 'x'.repeat(900) } } : fail('no result');
    });
    await ledger.append({ ...blockOf(0, NOW), results: many });
    await ledger.close();
    const index = createLedgerIndex(directory, () => NOW);
    const [entry] = (await ledgerPage(index, { limit: 1 })).entries;
    const seen: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const part: Awaited<ReturnType<typeof ledgerEntry>> = await ledgerEntry(index, { id: entry?.id ?? -1, from });
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThan(1_000_000);
      seen.push(...part.results.map((one) => one.sent));
      from = part.next;
    }
    expect(new Set(seen).size).toBe(900);
  });
});

describe('a ledger that somebody changed', () => {
  it('shows a record that was rewritten with a valid checksum', async () => {
    const index = await fill(5);
    const { path, records } = await filled();
    records[2] = gzipSync(
      gunzipSync(records[2] as Buffer)
        .toString()
        .replace('Ward-2', 'Ward-9'),
    );
    await writeFile(path, encodeFrames(records));
    const page = await ledgerPage(index, { limit: 10 });
    expect(page.intact).toBe(false);
    expect(page.entries.map((entry) => entry.intact)).toEqual([true, true, false, true, true]);
  });

  it('shows a record whose bytes were changed, and the others around it', async () => {
    const index = await fill(5);
    await ledgerPage(index, { limit: 10 });
    const { path } = await filled();
    const content = await readFile(path);
    content[content.length - 20] = (content[content.length - 20] ?? 0) ^ 0xff;
    await writeFile(path, content);
    const page = await ledgerPage(index, { limit: 10 });
    expect(page.entries.map((entry) => entry.intact)).toEqual([false, true, true, true, true]);
    expect(page.entries[0]).toMatchObject({ results: 0, types: [] });
    expect(await ledgerEntry(index, { id: page.entries[0]?.id ?? -1 })).toEqual({ results: [] });
    // A start of the agent must not tidy the evidence away.
    const ledger = await openLedger({ directory }, fail);
    await ledger.append(blockOf(5, NOW));
    await ledger.close();
    const after = await ledgerPage(index, { limit: 10 });
    expect(after).toMatchObject({ total: 6, intact: false });
  });

  it('shows that its end was cut off, also after it grew again', async () => {
    const index = await fill(5);
    const { path, records } = await filled();
    await truncate(path, encodeFrames(records.slice(0, 3)).length);
    expect(await ledgerPage(index, { limit: 10 })).toMatchObject({
      total: 3,
      intact: false,
      entries: [{ intact: false }, {}, {}],
    });
    const ledger = await openLedger({ directory }, fail);
    await ledger.append(blockOf(5, NOW));
    await ledger.close();
    const page = await ledgerPage(index, { limit: 10 });
    expect(page.entries.map((entry) => entry.intact)).toEqual([true, false, true, true]);
    for (const name of await segments()) await rm(name);
    expect(await ledgerPage(index, { limit: 10 })).toMatchObject({ total: 0, intact: false });
  });

  it('does not call a crash in the middle of writing a change', async () => {
    await fill(4);
    const { path } = await filled();
    const head = join(directory, 'head');
    const { records } = await filled();
    const third = JSON.parse(gunzipSync(records[3] as Buffer).toString()).prev;
    // The block is there and its note is not.
    await writeFile(head, third);
    await writeFile(path, Buffer.concat([encodeFrames(records), Buffer.from([0, 0, 0, 99, 1, 2])]));
    const index = createLedgerIndex(directory, () => NOW);
    expect(await ledgerPage(index, { limit: 10 })).toMatchObject({ total: 4, intact: true });
    const ledger = await openLedger({ directory }, fail);
    await ledger.append(blockOf(5, NOW));
    await ledger.close();
    expect(await ledgerPage(index, { limit: 10 })).toMatchObject({ total: 5, intact: true });
  });
});
