import type { LedgerEntry, LedgerResult } from '@svc/contracts/agent/ipc';
import { describe, expect, it } from 'vitest';
import type { AgentBridge } from '../bridge.ts';
import { ExportError, exportLedger } from './export-ledger.ts';

const entry = (id: number): LedgerEntry => ({
  id,
  atMs: Date.UTC(2026, 10, 21, 14, id),
  server: 'svc.example',
  types: ['endpoint.wifi'],
  results: 1,
  bytes: 411,
  minimised: 0,
  intact: true,
  kind: 'results',
  direction: 'sent',
  receipt: 'signed',
  sha256: 'ab',
});
/** The third left as it was measured. */
const result = (id: number): LedgerResult => {
  const sent = `{"a":${id}}`;
  return id === 3 ? { before: sent, sent, withheld: [] } : { before: `{"a":${id},"b":"x"}`, sent, withheld: ['b'] };
};

/** Three entries, two a page; `fails` names the entry that the service does not give. */
function bridge(fails = -1): AgentBridge {
  const call = async (name: string, input: { before?: number; id?: number; search?: string }) => {
    if (name === 'ledger') {
      const first = input.before === undefined;
      const entries = first ? [entry(3), entry(2)] : [entry(1)];
      const output = { entries, next: first ? 2 : null, total: 3, todayBytes: 0, todayEntries: 0, intact: true };
      return { ok: true, output };
    }
    return input.id === fails ? { ok: false, code: 'unreachable' } : { ok: true, output: { results: [result(input.id ?? 0)] } };
  };
  return { call } as unknown as AgentBridge;
}
const options = { search: '', onProgress: () => {}, isCancelled: () => false };

describe('the export of what was sent', () => {
  it('is canonical JSON of all pages, with the very text that left', async () => {
    const seen: string[] = [];
    const onProgress = (done: number, total: number): unknown => seen.push(`${done}/${total}`);
    const [text, ...more] = (await exportLedger(bridge(), { ...options, onProgress })) ?? [];
    expect(more).toEqual([]);
    const parsed = JSON.parse(text ?? '');
    expect(parsed.entries.map(({ id }: { id: number }) => id)).toEqual([3, 2, 1]);
    expect(text).toContain('"sent":{"a":2}');
    const sorted = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(sorted)
        : value !== null && typeof value === 'object'
          ? Object.fromEntries(
              Object.entries(value)
                .sort()
                .map(([key, inner]) => [key, sorted(inner)]),
            )
          : value;
    expect(text).toBe(JSON.stringify(sorted(parsed)));
    expect(seen).toEqual(['1/3', '2/3', '3/3']);
  });

  it('says what was measured only where it differs from what was sent', async () => {
    const [text] = (await exportLedger(bridge(), options)) ?? [];
    const [first, second] = JSON.parse(text ?? '').entries;
    expect(first.results[0]).not.toHaveProperty('before');
    expect(second.results[0].before).toEqual({ a: 2, b: 'x' });
  });

  it('makes several documents where one would be too large', async () => {
    const documents = (await exportLedger(bridge(), { ...options, maxLetters: 300 })) ?? [];
    expect(documents.length).toBeGreaterThan(1);
    expect(documents.flatMap((text) => JSON.parse(text).entries.map(({ id }: { id: number }) => id))).toEqual([3, 2, 1]);
  });

  it('gives nothing where it was cancelled, and no half of it where the service stops', async () => {
    expect(await exportLedger(bridge(), { ...options, isCancelled: () => true })).toBeNull();
    await expect(exportLedger(bridge(2), options)).rejects.toThrow(ExportError);
  });
});
