import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseReleaseFeed } from '@svc/contracts/releases/release-feed';
import { isReleaseSigned } from '@svc/contracts/releases/release-signature';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFolderBlobs } from '#blobs';
import { createRootCa, createServerLeaf } from '#crypto';
import { createHttpEdge, type HttpEdge } from '#edge';
import type { ReleaseAction, ReleaseWriteDeps } from './context.ts';
import { createReleaseDesk, createReleases, signFolder } from './index.ts';

const log = pino({ level: 'silent' });
const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), publicKey };
};
const { pem, publicKey } = newKey();

let root: string;
let blobs: ReturnType<typeof createFolderBlobs>;
let http: HttpEdge;
let port: number;
let now = Date.parse('2026-03-01T00:00:00Z');
let audited: ReleaseAction[] = [];

const deskWith = (part: Partial<ReleaseWriteDeps> = {}) =>
  createReleaseDesk({
    blobs,
    clock: { now: () => ++now },
    publicKeys: [publicKey],
    audit: async (action) => void audited.push(action),
    alone: (work) => work(),
    ...part,
  });

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-releases-'));
  const ca = await createRootCa({ commonName: 'releases test' });
  const leaf = await createServerLeaf(ca, { hosts: ['127.0.0.1'] });
  const readiness = { phase: 'serving' as const };
  const tls = { key: leaf.keyPem, cert: leaf.certPem };
  http = await createHttpEdge({ tls, log, trustedProxies: [], ratePerMinute: 0, readiness });
  // One listener for all: it reads whatever folder the test at hand has.
  const forward = new Proxy({} as typeof blobs, { get: (_, verb) => Reflect.get(blobs, verb) });
  createReleases({ blobs: forward, ratePerMinute: 200 }).routes(http.app);
  port = await http.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await http.close();
  rmSync(root, { recursive: true });
});
let made = 0;
beforeEach(() => {
  audited = [];
  made += 1;
  blobs = createFolderBlobs(join(root, `blobs-${made}`));
});

/** A folder as packaging leaves it. */
function makeFolder(
  version: string,
  files: Record<string, string | Buffer> = { [`agent-${version}.AppImage`]: `image ${version}` },
): string {
  const folder = mkdtempSync(join(root, 'dist-'));
  writeFileSync(join(folder, 'latest-linux.yml'), `version: ${version}\nfiles:\n  - url: x\n`);
  writeFileSync(join(folder, 'builder-debug.yml'), 'x64: {}\n');
  mkdirSync(join(folder, 'linux-unpacked'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}

const publish = async (
  version: string,
  part: { ring?: 'canary' | 'early' | 'main'; rollback?: boolean } = {},
  desk = deskWith(),
) => await desk.publish({ folder: makeFolder(version), ring: 'canary', rollback: false, ...part }, pem);

interface Answer {
  status: number;
  body: Buffer;
  headers: Record<string, string | string[] | undefined>;
}
const get = async (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  await new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: `/agent/releases/${path}`,
      headers,
      method,
      rejectUnauthorized: false,
      agent: false,
    };
    request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks), headers: response.headers }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('a release on its way to devices', () => {
  it('is served with its signature and its files, as it was published', async () => {
    const [feed] = await publish('1.2.0');
    const [yml, sig] = [await get('canary/latest-linux.yml'), await get('canary/latest-linux.yml.sig')];
    expect([yml.status, sig.status]).toEqual([200, 200]);
    expect(isReleaseSigned(yml.body, sig.body, [publicKey])).toBe(true);
    expect(parseReleaseFeed(yml.body)).toEqual(feed);
    const url = new URL(feed?.files[0]?.url ?? '', 'https://x/agent/releases/canary/');
    const file = await get(url.pathname.replace('/agent/releases/', ''));
    expect(file.body.toString()).toBe('image 1.2.0');
    expect(file.headers).toMatchObject({
      'content-length': '11',
      'accept-ranges': 'bytes',
      'cache-control': expect.stringMatching('immutable'),
    });
    expect((await get('early/latest-linux.yml')).status).toBe(404);
    expect((await get('canary/latest-mac.yml')).status).toBe(404);
    expect(audited).toEqual([{ action: 'release.publish', version: '1.2.0', ring: 'canary', feeds: 1 }]);
  });

  it('has a feed for each platform that has packages, with block maps beside', async () => {
    const files = ['a.exe', 'a.exe.blockmap', 'a.msi', 'a-arm64.zip', 'a.dmg', 'a_amd64.deb', 'a_arm64.deb', 'readme.txt'];
    const folder = makeFolder('2.0.0', Object.fromEntries(files.map((name) => [name, name])));
    const feeds = await deskWith().publish({ folder, ring: 'canary', rollback: false }, pem);
    expect(Object.fromEntries(feeds.map((feed) => [feed.feed, feed.files.map(({ url }) => url)]))).toEqual({
      'latest.yml': ['files/2.0.0/a.exe', 'files/2.0.0/a.msi'],
      'latest-mac.yml': ['files/2.0.0/a-arm64.zip', 'files/2.0.0/a.dmg'],
      'latest-linux.yml': ['files/2.0.0/a_amd64.deb'],
      'latest-linux-arm64.yml': ['files/2.0.0/a_arm64.deb'],
    });
    expect((await get('main/files/2.0.0/a.exe.blockmap')).body.toString()).toBe('a.exe.blockmap');
    expect((await get('canary/files/2.0.0/readme.txt')).status).toBe(404);
  });

  it('goes through the rings one at a time and back only as a rollback', async () => {
    const desk = deskWith();
    await publish('1.0.0');
    await expect(desk.promote({ version: '1.0.0', ring: 'main', rollback: false }, pem)).rejects.toThrow('from early');
    await desk.promote({ version: '1.0.0', ring: 'early', rollback: false }, pem);
    await desk.promote({ version: '1.0.0', ring: 'main', rollback: false }, pem);
    await publish('1.1.0');
    await expect(publish('1.0.1')).rejects.toThrow('must be signed as a rollback');
    await desk.promote({ version: '1.1.0', ring: 'early', rollback: false }, pem);
    await desk.promote({ version: '1.1.0', ring: 'main', rollback: false }, pem);
    const [back] = await desk.promote({ version: '1.0.0', ring: 'main', rollback: true }, pem);
    expect(back).toMatchObject({ version: '1.0.0', ring: 'main', rollback: true });
    const inForce = (await desk.list()).map(({ ring, version, rollback }) => ({ ring, version, rollback }));
    expect(inForce).toEqual([
      { ring: 'canary', version: '1.1.0', rollback: false },
      { ring: 'early', version: '1.1.0', rollback: false },
      { ring: 'main', version: '1.0.0', rollback: true },
    ]);
    expect(audited.map(({ action, ring }) => `${action} ${ring}`).at(-1)).toBe('release.rollback main');
    await expect(desk.promote({ version: '9.9.9', ring: 'early', rollback: false }, pem)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is signed again before it expires, in every ring, with the version that each has', async () => {
    const desk = deskWith();
    await publish('1.0.0');
    await desk.promote({ version: '1.0.0', ring: 'early', rollback: false }, pem);
    await publish('1.1.0');
    const before = await desk.list();
    await desk.renew({ expiresAt: new Date(now + 30 * 86_400_000) }, pem);
    const after = await desk.list();
    const partsOf = (all: typeof after) => all.map(({ ring, version, rollback }) => ({ ring, version, rollback }));
    expect(partsOf(after)).toEqual(partsOf(before));
    for (const [index, { signedAtMs, expiresAtMs }] of after.entries()) {
      expect(signedAtMs).toBeGreaterThan(before[index]?.signedAtMs ?? Number.POSITIVE_INFINITY);
      expect(Math.round(((expiresAtMs ?? 0) - signedAtMs) / 86_400_000)).toBe(30);
      expect(Math.round(((before[index]?.expiresAtMs ?? 0) - signedAtMs) / 86_400_000)).toBe(90);
    }
    expect(audited.at(-1)).toEqual({ action: 'release.renew', version: '1.0.0', ring: 'early', feeds: 1 });
    await expect(desk.renew({ ring: 'main' }, pem)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('may be signed elsewhere, where the key is', async () => {
    const folder = makeFolder('1.2.0');
    const [signed] = await signFolder({ folder, ring: 'canary', rollback: false }, pem, now + 1);
    writeFileSync(join(folder, 'latest-linux.yml'), signed?.text ?? '');
    writeFileSync(join(folder, 'latest-linux.yml.sig'), signed?.signature ?? '');
    await expect(deskWith().publish({ folder, ring: 'early', rollback: false }, undefined)).rejects.toThrow('signed for canary');
    expect(await deskWith().publish({ folder, ring: 'canary', rollback: false }, undefined)).toHaveLength(1);
  });
});

describe('what is refused before anything is in force', () => {
  const refused = async (work: Promise<unknown>, code: string) => {
    await expect(work).rejects.toMatchObject({ code });
    expect(await deskWith().list()).toEqual([]);
    expect(audited).toEqual([]);
  };

  it('a foreign key, no key, no configured key', async () => {
    const release = { folder: makeFolder('1.0.0'), ring: 'canary' as const, rollback: false };
    await refused(deskWith().publish(release, newKey().pem), 'unauthorized');
    await refused(deskWith().publish(release, 'no key'), 'bad_request');
    await refused(deskWith().publish(release, undefined), 'bad_request');
    await refused(deskWith({ publicKeys: [] }).publish(release, pem), 'bad_request');
    expect(readdirSync(root)).not.toContain(`blobs-${made}`);
  });

  it('a package that was changed after it was signed', async () => {
    const folder = makeFolder('1.2.0');
    const [signed] = await signFolder({ folder, ring: 'canary', rollback: false }, pem, now + 1);
    writeFileSync(join(folder, 'latest-linux.yml'), signed?.text ?? '');
    writeFileSync(join(folder, 'latest-linux.yml.sig'), signed?.signature ?? '');
    writeFileSync(join(folder, 'agent-1.2.0.AppImage'), 'IMAGE 1.2.0');
    await refused(deskWith().publish({ folder, ring: 'canary', rollback: false }, undefined), 'conflict');
    expect(await blobs.list('releases', { limit: 10 })).toEqual([]);
    // What an attempt left in the store does not stand in the way of the right file.
    await blobs.put('releases/files/1.2.0/agent-1.2.0.AppImage', [Buffer.from('IMAGE 1.2.0')], { maxBytes: 100 });
    writeFileSync(join(folder, 'agent-1.2.0.AppImage'), 'image 1.2.0');
    await deskWith().publish({ folder, ring: 'canary', rollback: false }, undefined);
    expect((await get('canary/files/1.2.0/agent-1.2.0.AppImage')).body.toString()).toBe('image 1.2.0');
  });

  it('a folder without packages, without a version, with two, and a version that needs a newer server', async () => {
    const base = { ring: 'canary' as const, rollback: false };
    await refused(deskWith().publish({ ...base, folder: join(root, 'nowhere') }, pem), 'bad_request');
    await refused(deskWith().publish({ ...base, folder: makeFolder('1.0.0', {}) }, pem), 'bad_request');
    await refused(deskWith().publish({ ...base, folder: makeFolder('one') }, pem), 'bad_request');
    const two = makeFolder('1.0.0');
    writeFileSync(join(two, 'latest.yml'), 'version: 1.0.1\n');
    await refused(deskWith().publish({ ...base, folder: two }, pem), 'bad_request');
    await refused(deskWith().publish({ ...base, folder: makeFolder('1.0.0'), minProtocol: 99 }, pem), 'conflict');
  });

  it('other bytes under a version that is out', async () => {
    await publish('1.0.0');
    const again = makeFolder('1.0.0', { 'agent-1.0.0.AppImage': 'other' });
    await expect(deskWith().publish({ folder: again, ring: 'canary', rollback: false }, pem)).rejects.toMatchObject({
      code: 'conflict',
    });
  });
});

describe('the routes of releases', () => {
  it.each([
    'canary/files/1.0.0/..%2f..%2f..%2frings%2fcanary%2flatest-linux.yml.json',
    'canary/files/..%2f1.0.0/agent-1.0.0.AppImage',
    'canary/files/1.0.0/.hidden',
    'canary/files/1.0.0/a%00b',
    'canary/latest-linux.yml.json',
    'canary/..%2fearly%2flatest-linux.yml',
    'nobody/latest-linux.yml',
    'nobody/files/1.0.0/agent-1.0.0.AppImage',
    'canary/files/1.0.0/',
    'canary/files/1.0.0/none.exe',
    'canary',
  ])('have nothing at %s', async (path) => {
    await publish('1.0.0');
    const answer = await get(path);
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': expect.stringMatching('problem') } });
  });

  it('give ranges, say what did not change, and answer HEAD without a body', async () => {
    const content = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    const folder = makeFolder('1.0.0', { 'a.exe': content });
    await deskWith().publish({ folder, ring: 'canary', rollback: false }, pem);
    const whole = await get('canary/files/1.0.0/a.exe');
    expect(whole.body.equals(content)).toBe(true);
    const etag = String(whole.headers.etag);
    const part = await get('canary/files/1.0.0/a.exe', { range: 'bytes=1000-1999', 'if-range': etag });
    expect(part).toMatchObject({ status: 206, headers: { 'content-range': 'bytes 1000-1999/200000', 'content-length': '1000' } });
    expect(part.body.equals(content.subarray(1000, 2000))).toBe(true);
    expect((await get('canary/files/1.0.0/a.exe', { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    expect(await get('canary/files/1.0.0/a.exe', { range: 'bytes=200000-' })).toMatchObject({
      status: 416,
      headers: { 'content-range': 'bytes */200000' },
    });
    expect((await get('canary/files/1.0.0/a.exe', { 'if-none-match': etag })).status).toBe(304);
    const head = await get('canary/files/1.0.0/a.exe', {}, 'HEAD');
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '200000' } });
    expect(head.body).toHaveLength(0);
    const yml = await get('canary/latest.yml');
    expect((await get('canary/latest.yml', { 'if-none-match': String(yml.headers.etag) })).status).toBe(304);
  });

  it('let go of a download that its reader left', async () => {
    const folder = makeFolder('1.0.0', { 'a.exe': Buffer.alloc(8_000_000, 7) });
    await deskWith().publish({ folder, ring: 'canary', rollback: false }, pem);
    const leave = () =>
      new Promise<void>((resolve, reject) => {
        const path = '/agent/releases/canary/files/1.0.0/a.exe';
        const call = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false }, (response) => {
          response.once('data', () => response.destroy());
          response.once('close', resolve);
        });
        call.once('error', reject).end();
      });
    // More than one address may have at once.
    for (let n = 0; n < 20; n += 1) await leave();
    await expect.poll(async () => (await get('canary/files/1.0.0/a.exe')).status).toBe(200);
  });

  it('bound the requests of one address', async () => {
    await publish('1.0.0');
    const answers = await Promise.all(Array.from({ length: 210 }, () => get('canary/latest-linux.yml')));
    const refusals = answers.filter(({ status }) => status === 429);
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals[0]?.headers['retry-after']).toBeDefined();
  });
});
