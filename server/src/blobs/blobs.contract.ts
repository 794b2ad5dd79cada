import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { BlobStore } from './port.ts';

const bytes = (text: string) => [Buffer.from(text)];
const options = { maxBytes: 1000 };

/** What every blob store does, whatever it keeps blobs in. */
export function describeBlobStore(store: () => BlobStore): void {
  const read = async (key: string): Promise<string | undefined> => {
    const found = await store().open(key);
    return found && (await buffer(found.body)).toString();
  };

  it('gives back what was put, and what it is', async () => {
    const info = await store().put('a/b.bin', bytes('hello'), options);
    expect(info).toMatchObject({ key: 'a/b.bin', size: 5 });
    expect(Math.abs(info.modifiedAtMs - Date.now())).toBeLessThan(60_000);
    expect(await store().stat('a/b.bin')).toEqual(info);
    expect(await read('a/b.bin')).toBe('hello');
  });

  it('replaces, with another etag, and a reader of the old one reads it to its end', async () => {
    const before = await store().put('again', bytes('one'), options);
    const old = await store().open('again');
    await sleep(5);
    const after = await store().put('again', bytes('two'), options);
    expect(after.etag).not.toBe(before.etag);
    expect(old && (await buffer(old.body)).toString()).toBe('one');
    expect(await read('again')).toBe('two');
  });

  it('gives a range, both ends included', async () => {
    await store().put('range', bytes('0123456789'), options);
    const found = await store().open('range', { first: 2, last: 4 });
    expect(found?.info.size).toBe(10);
    expect(found && (await buffer(found.body)).toString()).toBe('234');
  });

  it('has nothing where nothing was put, or where it was removed, however often', async () => {
    expect(await store().stat('none')).toBeUndefined();
    expect(await store().open('a')).toBeUndefined();
    expect(await store().stat('a/b.bin/c')).toBeUndefined();
    await store().put('gone', bytes('x'), options);
    await store().remove('gone');
    await store().remove('gone');
    expect(await store().open('gone')).toBeUndefined();
  });

  it('lists below a prefix, by key, as many as asked for', async () => {
    for (const key of ['list/2/b', 'list/1/z', 'list/1/a', 'listed']) await store().put(key, bytes(key), options);
    const keys = async (limit: number) => (await store().list('list', { limit })).map((one) => one.key);
    expect(await keys(10)).toEqual(['list/1/a', 'list/1/z', 'list/2/b']);
    expect(await keys(2)).toEqual(['list/1/a', 'list/1/z']);
    expect(await store().list('nowhere', { limit: 10 })).toEqual([]);
  });

  it('keeps the old bytes when new ones are too many or fail half way', async () => {
    await store().put('kept', bytes('old'), options);
    await expect(store().put('kept', bytes('too many'), { maxBytes: 3 })).rejects.toMatchObject({ code: 'too_large' });
    const failing = async function* () {
      yield Buffer.from('half');
      throw new Error('the connection broke');
    };
    await expect(store().put('kept', failing(), options)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await read('kept')).toBe('old');
    expect((await store().list('kept', { limit: 5 })).length).toBe(0);
  });

  it.each([
    '',
    '/',
    'a/../b',
    '../a',
    '.hidden',
    'a//b',
    'a/',
    '/a',
    'a\\b',
    'a\0b',
    'ä',
    'a/b/c/d/e/f/g/h/i',
    `x${'y'.repeat(600)}`,
    'a\nb',
  ])('refuses the key %j', async (key) => {
    await expect(store().put(key, bytes('x'), options)).rejects.toMatchObject({ code: 'validation' });
    await expect(store().open(key)).rejects.toMatchObject({ code: 'validation' });
    await expect(store().stat(key)).rejects.toMatchObject({ code: 'validation' });
    await expect(store().remove(key)).rejects.toMatchObject({ code: 'validation' });
  });

  it('never shows a mixture of two writers', async () => {
    const texts = Array.from({ length: 8 }, (_, n) => String(n).repeat(900));
    await Promise.all(texts.map((text) => store().put('raced', bytes(text), options)));
    expect(texts).toContain(await read('raced'));
  });
}
