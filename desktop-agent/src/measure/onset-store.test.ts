import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOnsetStore } from './onset-store.ts';

const NOW = 1_790_000_000_000;
const MINUTE = 60_000;
const onset = { cause: 'wifi', fault: 'wifi_signal', sinceMs: NOW - 90 * MINUTE } as const;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-onset-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const open = (nowMs = NOW) => openOnsetStore(directory, () => nowMs);

describe('the onset over restarts', () => {
  it('stays over a pause of minutes', async () => {
    const first = await open();
    expect(first.earlier).toBeUndefined();
    await first.keep(onset);
    expect((await open(NOW + 15 * MINUTE)).earlier).toEqual(onset);
  });

  it('begins anew after a longer pause and behind a clock set back', async () => {
    const first = await open();
    await first.keep(onset);
    expect((await open(NOW + 16 * MINUTE)).earlier).toBeUndefined();
    expect((await open(NOW - 1)).earlier).toBeUndefined();
  });

  it.each(['', '{"cause":"wi', '{"cause":"weather","sinceMs":1,"seenMs":1}', '{"cause":"wifi"}', '[]', 'null'])(
    'takes %j as none',
    async (text) => {
      await writeFile(join(directory, 'onset.json'), text);
      expect((await open(1)).earlier).toBeUndefined();
    },
  );

  it('does not fail where it cannot be kept', async () => {
    const store = await open();
    await rm(directory, { recursive: true });
    await expect(store.keep(onset)).resolves.toBeUndefined();
  });
});
