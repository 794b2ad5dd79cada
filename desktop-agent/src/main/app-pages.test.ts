import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTENT_SECURITY_POLICY, createPages } from './app-pages.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'));
beforeAll(() => {
  mkdirSync(join(folder, 'renderer'));
  for (const name of ['index.html', 'index.js', 'inter.woff2', 'notes.txt']) writeFileSync(join(folder, 'renderer', name), name);
  writeFileSync(join(folder, 'main.cjs'), 'not for pages');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the pages', () => {
  it('are given with their type and a policy that lets nothing else in', async () => {
    const answer = createPages(join(folder, 'renderer'));
    for (const [name, type] of [
      ['index.html', 'text/html; charset=utf-8'],
      ['index.js', 'text/javascript; charset=utf-8'],
      ['inter.woff2', 'font/woff2'],
    ]) {
      const { status, headers, body } = await answer(`app://face/${name}?x#y`);
      expect([status, headers['content-type'], body.toString()]).toEqual([200, type, name]);
      expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect(CONTENT_SECURITY_POLICY).toMatch(/^default-src 'none'; /);
    expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|connect-src|frame-src|https?:/);
  });

  it.each([
    'app://face/',
    'app://face/notes.txt',
    'app://face/main.cjs',
    'app://face/../main.cjs',
    'app://face/%2e%2e%2fmain.cjs',
    'app://face//etc/passwd',
    'app://other/index.html',
    'https://face/index.html',
    'file:///etc/passwd',
    'no address',
  ])('are not %s', async (url) => {
    const { status, headers } = await createPages(join(folder, 'renderer'))(url);
    expect(status).toBe(404);
    expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
  });
});
