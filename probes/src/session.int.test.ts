import { existsSync } from 'node:fs';
import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SessionMeasurement } from './session.ts';
import { giveGlobalIpv6, measureInLab } from './testing/lab.ts';

const reason = netlabUnavailable() ?? (existsSync('/usr/bin/curl') ? undefined : 'missing: curl');
if (reason) console.warn(`SKIPPED: sessions beside curl in the network lab: ${reason}`);

const PAIRS = 12;
/** curl counts reading its roots as part of TLS, and both round: what may remain between two right measurements. */
const TOLERANCE_MS = 3;
const PHASES = ['dnsMs', 'connectMs', 'tlsMs', 'ttfbMs', 'totalMs'] as const;

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

let lab: Netlab;
const measure = async (request: object): Promise<SessionMeasurement[]> =>
  (await measureInLab<SessionMeasurement>(lab, 'session', { caFile: lab.caFile, ...request })).results;

/** The same phases as curl sees them; it counts each from the start. */
async function runCurl(url: string) {
  const format = '%{time_namelookup} %{time_connect} %{time_appconnect} %{time_pretransfer} %{time_starttransfer} %{time_total}';
  const argv = ['curl', '-s', '-o', '/dev/null', '--http1.1', '--cacert', lab.caFile, '-w', format, url];
  const times = (await lab.exec('client', argv)).stdout.split(' ').map((seconds) => Number(seconds) * 1e3);
  const [lookup = 0, connect = 0, secured = 0, ready = 0, firstByte = 0, totalMs = 0] = times;
  return { dnsMs: lookup, connectMs: connect - lookup, tlsMs: secured - connect, ttfbMs: firstByte - ready, totalMs };
}

describe.skipIf(reason)('a session in the lab', () => {
  beforeAll(async () => {
    lab = await createNetlab({ links: [{ delayMs: 2 }, { delayMs: 5 }, {}, { delayMs: 3 }] });
    await lab.setServer({ delayMs: 40, dnsDelayMs: 15 });
    await measure({ url: lab.urls.https });
  });
  afterAll(() => lab?.close());

  it('has the phases that curl measures, within three milliseconds', { timeout: 60_000 }, async () => {
    const pairs: { ours: SessionMeasurement; theirs: Awaited<ReturnType<typeof runCurl>> }[] = [];
    for (let i = 0; i < PAIRS; i += 1) {
      const theirs = await runCurl(lab.urls.https);
      // The first of a process loads code while it measures.
      const [, ours] = await measure({ url: lab.urls.https, repeat: 2 });
      expect(ours).toMatchObject({ success: true, status: 200, bytes: 1000 });
      pairs.push({ ours: ours as SessionMeasurement, theirs });
    }
    for (const phase of PHASES) {
      const apart = pairs.map(({ ours, theirs }) => (ours[phase] ?? Number.NaN) - theirs[phase]);
      const typical = median(apart);
      // What a busy machine adds is told by how far the pairs lie apart: three standard errors of their median.
      const spread = 1.4826 * median(apart.map((ms) => Math.abs(ms - typical)));
      const noise = (3 * 1.2533 * spread) / Math.sqrt(PAIRS);
      expect(Math.abs(typical), `${phase}: ${typical.toFixed(1)} beside curl, noise ${noise.toFixed(1)}`).toBeLessThan(
        TOLERANCE_MS + noise,
      );
    }
    // Nothing is faster than the lab lets it be.
    for (const { ours } of pairs) {
      expect(ours.dnsMs).toBeGreaterThan(35);
      expect(ours.connectMs).toBeGreaterThan(20);
      expect(ours.tlsMs).toBeGreaterThan(20);
      expect(ours.ttfbMs).toBeGreaterThan(60);
    }
  });

  it('works over IPv6 alone, through the proxy, and over a redirect', async () => {
    const [overIpv6] = await measure({ url: lab.urls.httpsV6 });
    expect(overIpv6).toMatchObject({ success: true, family: 6, dnsMs: null });
    const [viaProxy] = await measure({ url: lab.urls.https, proxy: lab.urls.proxy });
    expect(viaProxy).toMatchObject({ success: true, viaProxy: true, status: 200 });
    const [redirected] = await measure({ url: `${lab.urls.https}redirect` });
    expect(redirected).toMatchObject({ success: true, redirects: 1 });
  });

  it('falls back to IPv4 where IPv6 is dead, and tells of the attempt', async () => {
    // With a public address of its own the client prefers IPv6 (RFC 6724).
    await giveGlobalIpv6(lab);
    expect((await measure({ url: lab.urls.https }))[0]).toMatchObject({ success: true, family: 6 });
    await lab.exec('r3', ['ip', '-6', 'route', 'add', 'blackhole', `${lab.server.v6}/128`], { uid: 0 });
    const [session] = await measure({ url: lab.urls.https });
    await lab.exec('r3', ['ip', '-6', 'route', 'del', 'blackhole', `${lab.server.v6}/128`], { uid: 0 });
    expect(session).toMatchObject({ success: true, family: 4 });
    expect(session?.attempts.map((attempt) => [attempt.family, attempt.error !== undefined])).toEqual([
      [6, true],
      [4, false],
    ]);
  });

  it('shows a slow server in its first byte alone', async () => {
    await lab.setServer({ delayMs: 1600 });
    const [session] = await measure({ url: lab.urls.https });
    await lab.setServer({ delayMs: 40 });
    expect(session?.ttfbMs).toBeGreaterThan(1600);
    expect(session?.connectMs).toBeLessThan(500);
  });

  it('names the phase that the network cut', async () => {
    await lab.exec('r3', ['ip', 'route', 'add', 'unreachable', `${lab.server.v4}/32`], { uid: 0 });
    const [byAddress] = await measure({ url: lab.urls.httpsV4, timeoutMs: 1500 });
    const [byName] = await measure({ url: lab.urls.https, timeoutMs: 1500 });
    await lab.exec('r3', ['ip', 'route', 'del', 'unreachable', `${lab.server.v4}/32`], { uid: 0 });
    expect(byAddress).toMatchObject({
      success: false,
      errorPhase: 'connect',
      error: expect.stringMatching(/EHOSTUNREACH|ETIMEDOUT/),
    });
    // Its resolver stands at the same address.
    expect(byName).toMatchObject({ success: false, errorPhase: 'dns' });
  });
});
