import type { Reading } from '@svc/native/reading';
import { createNetlab, type Netlab, netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayMeasurement, type GatewayRequest, measureGateway } from './gateway.ts';
import type { ResolverMeasurement } from './resolver.ts';
import { measureInLab, present } from './testing/lab.ts';

const reason = netlabUnavailable();
if (reason) console.warn(`SKIPPED: gateways in the network lab: ${reason}`);

let lab: Netlab;
const asRoot = (command: string) => lab.exec('client', ['sh', '-ec', command], { uid: 0 });
const readGateway = async (request: GatewayRequest = {}): Promise<Reading<GatewayMeasurement>> => {
  const { results } = await measureInLab<Reading<GatewayMeasurement>>(lab, 'gateway', request);
  return results[0] ?? { unavailable: 'not_supported' };
};

describe.skipIf(reason)('the gateway in the lab, as an ordinary user', () => {
  beforeAll(async () => {
    lab = await createNetlab({ icmpRateLimit: false, links: [{ delayMs: 4 }] });
    await asRoot('echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range');
  });
  afterAll(() => lab?.close());

  it('is found and answers echoes', async () => {
    expect(present(await readGateway())).toMatchObject({
      address: '192.168.77.1',
      addressClass: 'private',
      family: 4,
      interfaceName: 'eth0',
      method: 'icmp',
      reachable: true,
      sent: 5,
      lost: 0,
      lossRatio: 0,
    });
  });

  it('shows the loss of its link, counted', async () => {
    await lab.setLink(0, { lossRatio: 0.4 });
    const gateway = present(await readGateway({ count: 60, intervalMs: 10, timeoutMs: 300 }));
    await lab.setLink(0, { lossRatio: 0 });
    expect(Math.abs(gateway.lossRatio - 0.4)).toBeLessThan(0.25);
    expect(gateway.rttsMs).toHaveLength(gateway.sent - gateway.lost);
    expect(gateway.rttMinMs).toBeGreaterThan(7.5);
  });

  it('that is gone is unreachable, which is not the same as not measured', async () => {
    await lab.setLink(0, { dropIcmp: 'all' });
    const gateway = present(await readGateway({ count: 3, intervalMs: 10, timeoutMs: 200 }));
    await lab.setLink(0, { dropIcmp: 'none' });
    expect(gateway).toMatchObject({ reachable: false, sent: 3, lost: 3, lossRatio: 1, rttAvgMs: null });
  });

  it('that leaves echoes unanswered is measured by probes that expire there', async () => {
    await lab.exec('r1', ['sh', '-ec', 'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all'], { uid: 0 });
    const gateway = present(await readGateway({ count: 3, intervalMs: 10, timeoutMs: 200 }));
    await lab.exec('r1', ['sh', '-ec', 'echo 0 > /proc/sys/net/ipv4/icmp_echo_ignore_all'], { uid: 0 });
    expect(gateway).toMatchObject({ method: 'udp', reachable: true, lost: 0 });
    expect(gateway.rttMinMs).toBeGreaterThan(7.5);
  });

  it('is measured by UDP where ICMP sockets are closed', async () => {
    await asRoot('echo "1 0" > /proc/sys/net/ipv4/ping_group_range');
    expect(present(await readGateway())).toMatchObject({ method: 'udp', reachable: true, sent: 5, lost: 0 });
    expect(present(await readGateway({ towards: lab.server.v4, count: 2 }))).toMatchObject({
      method: 'udp',
      address: '192.168.77.1',
      lost: 0,
    });
  });

  it('of IPv6 is found where there is no IPv4', async () => {
    await asRoot('ip route del default');
    const gateway = present(await readGateway());
    await asRoot(`ip route add default via ${lab.hops.v4[0]}`);
    expect(gateway).toMatchObject({ address: 'fd77:0:0:1::1', addressClass: 'private', family: 6, reachable: true, lost: 0 });
  });

  it('may be a link-local one, by ICMP with its scope and by UDP', async () => {
    const neighbour = await lab.exec(
      'r1',
      ['sh', '-ec', "ip -6 -o addr show dev inner scope link | sed -E 's/.*inet6 ([^/]*).*/\\1/'"],
      { uid: 0 },
    );
    await asRoot(
      `ip route del default; ip -6 route del default; ip -6 route add default via ${neighbour.stdout.trim()} dev eth0`,
    );
    expect(present(await readGateway({ count: 2 }))).toMatchObject({
      address: neighbour.stdout.trim(),
      method: 'udp',
      reachable: true,
      lost: 0,
    });
    await asRoot('echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range');
    expect(present(await readGateway({ count: 2 }))).toMatchObject({
      address: neighbour.stdout.trim(),
      method: 'icmp',
      reachable: true,
      lost: 0,
    });
    await asRoot(
      `ip -6 route del default; ip -6 route add default via fd77:0:0:1::1; ip route add default via ${lab.hops.v4[0]}`,
    );
  });

  it('is that of the line beneath a VPN, whose server the routes tell', async () => {
    const raise = 'ip tuntap add tun0 mode tun; ip addr add 10.8.0.2/24 dev tun0; ip link set tun0 up';
    const around = `ip route add ${lab.server.v4}/32 via ${lab.hops.v4[0]}`;
    await asRoot(`${raise}; ${around}; ip route add 0.0.0.0/1 via 10.8.0.1; ip route add 128.0.0.0/1 via 10.8.0.1`);
    const line = {
      address: '192.168.77.1',
      interfaceName: 'eth0',
      reachable: true,
      lost: 0,
      beneathTunnel: { endpoint: { value: lab.server.v4 } },
    };
    expect(present(await readGateway())).toMatchObject({ ...line, method: 'icmp' });
    await asRoot('echo "1 0" > /proc/sys/net/ipv4/ping_group_range');
    const byUdp = present(await readGateway({ count: 3 }));
    expect(byUdp).toMatchObject({ ...line, method: 'udp' });
    expect(byUdp.rttMinMs).toBeGreaterThan(7.5);
    // As a VPN that keeps a table of its own and leaves the main one as it was.
    await asRoot(`ip route del 0.0.0.0/1; ip route del 128.0.0.0/1; ip route del ${lab.server.v4}/32`);
    await asRoot('ip route add default dev tun0 table 51820; ip rule add not fwmark 51820 table 51820');
    await asRoot('ip rule add table main suppress_prefixlength 0');
    expect(present(await readGateway({ count: 2 }))).toMatchObject({
      ...line,
      method: 'udp',
      beneathTunnel: { endpoint: { unavailable: 'not_supported' } },
    });
    await asRoot('ip rule del table main suppress_prefixlength 0; ip rule del table 51820; ip link del tun0');
  });

  it('beneath a VPN that lets nothing past it says nothing of the gateway', async () => {
    await asRoot('ip tuntap add tun0 mode tun; ip addr add 10.8.0.2/24 dev tun0; ip link set tun0 up');
    await asRoot('ip route add 0.0.0.0/1 via 10.8.0.1; ip route add 128.0.0.0/1 via 10.8.0.1');
    await lab.setLink(0, { dropIcmp: 'all' });
    expect(await readGateway({ count: 2, intervalMs: 10, timeoutMs: 200 })).toEqual({ unavailable: 'tunnel' });
    await lab.setLink(0, { dropIcmp: 'none' });
    await asRoot('ip link del tun0; echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range');
  });

  it("is none where a tunnel is all there is, of the carrier's NAT, or without a route", async () => {
    await asRoot(
      'ip tuntap add tun0 mode tun; ip addr add 10.8.0.2/24 dev tun0; ip link set tun0 up; ip route replace default via 10.8.0.1 dev tun0; ip -6 route del default',
    );
    expect(await readGateway()).toEqual({ unavailable: 'tunnel' });
    await asRoot('ip link del tun0; ip addr add 100.64.0.2/24 dev eth0; ip route replace default via 100.64.0.1');
    expect(await readGateway()).toEqual({ unavailable: 'no_target' });
    await asRoot('ip route del default');
    expect(await readGateway()).toEqual({ unavailable: 'no_target' });
  });
});

describe.skipIf(reason)('the resolver in the lab', () => {
  beforeAll(async () => {
    lab = await createNetlab({ links: [{ delayMs: 5 }] });
  });
  afterAll(() => lab?.close());

  it('answers with the round-trip time of the path to it', async () => {
    const request = { server: lab.server.v4, names: ['app.lab.test'], count: 3 };
    const { results } = await measureInLab<ResolverMeasurement>(lab, 'resolver', request);
    expect(results[0]).toMatchObject({ success: true, responseCode: 'NOERROR', isPrivate: false, lost: 0 });
    expect(Math.min(...(results[0]?.rttsMs ?? []))).toBeGreaterThan(9.5);
    const missing = await measureInLab<ResolverMeasurement>(lab, 'resolver', {
      ...request,
      server: lab.server.v6,
      names: ['no.such.test'],
    });
    expect(missing.results[0]).toMatchObject({ success: true, responseCode: 'NXDOMAIN' });
  });
});

it('refuses bad input before anything is sent', async () => {
  await expect(measureGateway({ towards: 'gateway.test' })).rejects.toThrow(RangeError);
  await expect(
    measureGateway({ count: 0 }).then((reading) => 'unavailable' in reading && Promise.reject(new RangeError('no gateway'))),
  ).rejects.toThrow(RangeError);
});
