import { existsSync } from 'node:fs';
import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measurePath, type PathMeasurement } from './path.ts';
import { giveGlobalIpv6, measureInLab, median, parseMtr, parseTraceroute, present } from './testing/lab.ts';

const missing = ['/usr/sbin/traceroute', '/usr/bin/mtr'].filter(
  (program) => !existsSync(program) && !existsSync(program.replace('/usr/sbin', '/usr/bin')),
);
const reason =
  netlabUnavailable() ?? (missing.length > 0 ? `missing: ${missing.join(', ')} (Debian: traceroute, mtr-tiny)` : undefined);
if (reason) console.warn(`SKIPPED: paths in the network lab: ${reason}`);

const DELAYS_MS = [2, 10, 5, 3];
/** Round-trip time that the links' delays add up to, at each distance. */
const EXPECTED_MS = DELAYS_MS.map((_, at) => 2 * DELAYS_MS.slice(0, at + 1).reduce((sum, delay) => sum + delay, 0));
const BANDS = ['local', 'isp-edge', 'beyond', 'beyond'];
const RTT_TOLERANCE_MS = 5;
const MTR = ['mtr', '-n', '--json', '-i', '0.08', '--gracetime', '1'];

let lab: Netlab;
const trace = async (request: object) => {
  const output = await measureInLab<{ value: PathMeasurement }>(lab, 'path', request);
  return { ...output, path: present(output.results[0]) };
};
const addresses = (hops: readonly { address: string | null }[]) => hops.map((hop) => hop.address);

describe.skipIf(reason)('a path in the lab, as an ordinary user', () => {
  beforeAll(async () => {
    lab = await createNetlab({ icmpSockets: true, icmpRateLimit: false, links: DELAYS_MS.map((delayMs) => ({ delayMs })) });
    // Neighbours are found once, outside of what is measured.
    for (const address of [lab.server.v4, lab.server.v6]) await lab.exec('client', ['traceroute', '-n', '-q1', '-w2', address]);
  });
  afterAll(() => lab?.close());

  describe.each(['v4', 'v6'] as const)('over IP%s', (family) => {
    // Three programs measure one after the other on a machine that does other things too.
    it.each(['udp', 'icmp'] as const)('agrees with traceroute and mtr by %s', { retry: 4 }, async (method) => {
      const target = lab.server[family];
      const { path, uid } = await trace({ target, method, rounds: 10, roundMs: 80 });
      const traceroute = parseTraceroute(
        (await lab.exec('client', ['traceroute', '-n', '-q', '8', '-w', '2', '-N', '2', target])).stdout,
      );
      const mtr = parseMtr(
        (await lab.exec('client', [...MTR, '-c', '10', ...(method === 'udp' ? ['-u'] : []), target], { uid: 0 })).stdout,
      );

      expect(uid).toBe(65_534);
      expect(path).toMatchObject({ reached: true, address: target, family: family === 'v4' ? 4 : 6, method });
      expect(addresses(path.hops)).toEqual(lab.hops[family]);
      expect(addresses(traceroute)).toEqual(addresses(path.hops));
      expect(addresses(mtr)).toEqual(addresses(path.hops));
      expect(path.hops.map((hop) => [hop.segment, hop.lossRatio])).toEqual(BANDS.map((band) => [band, 0]));
      for (const [at, hop] of path.hops.entries()) {
        expect(hop.rttMinMs, `hop ${hop.hop}`).toBeGreaterThan((EXPECTED_MS[at] ?? 0) - 0.5);
        // The best of several: the rest of the machine delays the user-space link now and then.
        expect(Math.abs((hop.rttMinMs ?? 0) - (mtr[at]?.rttMinMs ?? 0)), `hop ${hop.hop} beside mtr`).toBeLessThan(
          RTT_TOLERANCE_MS,
        );
        expect(Math.abs((hop.rttMinMs ?? 0) - (traceroute[at]?.rttMinMs ?? 0)), `hop ${hop.hop} beside traceroute`).toBeLessThan(
          RTT_TOLERANCE_MS,
        );
      }
    });
  });

  it('takes a name, resolves it by the system and says which address it traced', async () => {
    const { path } = await trace({ target: 'app.lab.test', family: 4, rounds: 1 });
    expect(path).toMatchObject({ target: 'app.lab.test', address: lab.server.v4, reached: true });
    expect((await trace({ target: 'no.such.lab.test' })).path).toMatchObject({ error: 'dns', hops: [], sent: 0, address: null });
  });

  it('keeps within the limits that routers put on their answers', async () => {
    const limited = await createNetlab();
    try {
      for (const target of [limited.server.v4, limited.server.v6]) {
        // An answer that a router leaves out never comes; one of a busy machine may be late, and is waited for.
        const asked = { target, method: 'udp', rounds: 4, timeoutMs: 5000 };
        const output = await measureInLab<{ value: PathMeasurement }>(limited, 'path', asked);
        const { hops, reached } = present(output.results[0]);
        expect(reached).toBe(true);
        expect(hops.map((hop) => hop.countedLost)).toEqual([0, 0, 0, 0]);
      }
    } finally {
      await limited.close();
    }
  });

  it('costs little processor time', async () => {
    const { lastCpuMs, path } = await measureInLab<{ value: PathMeasurement }>(lab, 'path', {
      target: lab.server.v4,
      rounds: 3,
      repeat: 3,
    }).then((output) => ({ ...output, path: present(output.results[0]) }));
    console.info(
      `a trace of ${path.hops.length} hops in 3 rounds (${path.sent} probes) took ${lastCpuMs.toFixed(1)} ms of processor time`,
    );
    expect(lastCpuMs).toBeLessThan(60);
  });
});

describe.skipIf(reason)('a lossy path in the lab', () => {
  const ROUNDS = 60;
  beforeAll(async () => {
    lab = await createNetlab({ icmpRateLimit: false });
    for (const address of [lab.server.v4, lab.server.v6]) await lab.exec('client', ['traceroute', '-n', '-q1', '-w2', address]);
  });
  afterAll(() => lab?.close());

  it('loses what the link loses, as mtr sees it, from that link on', async () => {
    await lab.setLink(1, { lossRatio: 0.3 });
    const { path } = await trace({ target: lab.server.v4, rounds: ROUNDS, roundMs: 60, timeoutMs: 500, method: 'udp' });
    const mtr = parseMtr((await lab.exec('client', [...MTR, '-u', '-c', String(ROUNDS), lab.server.v4], { uid: 0 })).stdout);
    await lab.setLink(1, { lossRatio: 0 });
    // Four standard deviations of a binomial of 60 at 0.3 are 0.24.
    for (const hops of [path.hops, mtr]) {
      expect(hops[0]?.lossRatio).toBe(0);
      for (const hop of hops.slice(1, 4)) expect(Math.abs((hop.lossRatio ?? 0) - 0.3)).toBeLessThan(0.24);
    }
    expect(path.hops[0]?.countedLost).toBe(0);
    const edge = path.segments.find((segment) => segment.segment === 'isp-edge');
    expect(edge?.lost).toBeGreaterThan(ROUNDS * 0.1);
    expect(edge?.lossRatio).toBeCloseTo((edge?.lost ?? 0) / (edge?.sent ?? 1));
  });

  it('shows a router that hides its errors without blaming it', async () => {
    // Link 1 hides the routers behind it; the server's echo is an error too, by UDP nothing is left but the gateway.
    await lab.setLink(1, { dropIcmp: 'errors' });
    const { path } = await trace({ target: lab.server.v4, method: 'udp', rounds: 2, roundMs: 100, timeoutMs: 200 });
    await lab.setLink(1, { dropIcmp: 'none' });
    expect(path).toMatchObject({ reached: false, segments: [{ segment: 'local', hop: 1, lost: 0 }] });
    expect(addresses(path.hops)).toEqual([lab.hops.v4[0]]);
  });

  it('has no hop where nothing comes back', async () => {
    await lab.setLink(0, { dropIcmp: 'all' });
    const { path } = await trace({ target: lab.server.v4, rounds: 1, timeoutMs: 100 });
    await lab.setLink(0, { dropIcmp: 'none' });
    expect(path).toMatchObject({ reached: false, hops: [], segments: [] });
  });

  it('follows a change of delay at once', async () => {
    await lab.setLink(1, { delayMs: 45 });
    const { path } = await trace({ target: lab.server.v4, rounds: 3, roundMs: 100 });
    await lab.setLink(1, { delayMs: 0 });
    const edge = path.segments.find((segment) => segment.segment === 'isp-edge');
    expect(edge?.rttAvgMs).toBeGreaterThan(89);
    expect(median(path.hops.slice(0, 1).map((hop) => hop.rttAvgMs ?? 0))).toBeLessThan(20);
  });

  it('takes a home router with a public IPv6 address for local', async () => {
    await giveGlobalIpv6(lab);
    const { path } = await trace({ target: lab.server.v6, rounds: 2, roundMs: 100 });
    expect(path.hops.slice(0, 2).map((hop) => [hop.address, hop.isPublic, hop.segment])).toEqual([
      ['2001:db8:77::1', true, 'local'],
      ['2001:db8:1::2', true, 'isp-edge'],
    ]);
  });

  it('has no hop where the next one is not there, and never takes this host for one', async () => {
    await lab.exec('r1', ['ip', 'link', 'set', 'inner', 'down'], { uid: 0 });
    await lab.exec('client', ['ip', 'neigh', 'flush', 'all'], { uid: 0 });
    const over4 = await trace({ target: lab.server.v4, rounds: 3, timeoutMs: 3500, roundMs: 100, maxHops: 2 });
    const over6 = await trace({ target: lab.server.v6, rounds: 3, timeoutMs: 3500, roundMs: 100, maxHops: 2 });
    await lab.exec('r1', ['ip', 'link', 'set', 'inner', 'up'], { uid: 0 });
    for (const { path } of [over4, over6]) expect(path).toMatchObject({ reached: false, hops: [] });
  });

  it('names the error of the system where there is no route', async () => {
    const [gateway = ''] = lab.hops.v4;
    expect((await lab.exec('client', ['ip', 'route', 'del', 'default'], { uid: 0 })).code).toBe(0);
    const { path } = await trace({ target: lab.server.v4, rounds: 1 });
    expect(path).toMatchObject({ reached: false, hops: [], sent: 0, error: 'ENETUNREACH' });
    await lab.exec('client', ['ip', 'route', 'add', 'default', 'via', gateway], { uid: 0 });
  });
});

it('refuses an empty target', async () => {
  await expect(measurePath({ target: ' ' })).rejects.toThrow(RangeError);
});
