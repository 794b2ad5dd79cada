import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { describeBlobStore } from './blobs.contract.ts';
import { createFolderBlobs } from './folder.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-blobs-'));
const store = createFolderBlobs(join(root, 'blobs'));
afterAll(() => rmSync(root, { recursive: true }));

describe('blobs in a folder', () => {
  describeBlobStore(() => store);

  it('are private files, and nothing of what failed stays', () => {
    expect(statSync(join(root, 'blobs', 'kept')).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(root, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('are never reached through a link that somebody laid', async () => {
    writeFileSync(join(root, 'secret'), 'secret');
    symlinkSync(join(root, 'secret'), join(root, 'blobs', 'link'));
    expect(await store.stat('link')).toBeUndefined();
    expect(await store.open('link')).toBeUndefined();
    expect((await store.list('a', { limit: 10 })).map((one) => one.key)).toEqual(['a/b.bin']);
  });

  it('say so when their place cannot be written', async () => {
    writeFileSync(join(root, 'file'), '');
    const none = createFolderBlobs(join(root, 'file'));
    await expect(none.put('a', [Buffer.from('x')], { maxBytes: 10 })).rejects.toMatchObject({ code: 'unavailable' });
    mkdirSync(join(root, 'blobs', 'folder'), { recursive: true });
    await expect(store.put('folder', [Buffer.from('x')], { maxBytes: 10 })).rejects.toMatchObject({ code: 'unavailable' });
  });
});
