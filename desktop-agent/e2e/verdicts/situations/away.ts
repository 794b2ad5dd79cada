import { SERVER } from '@svc/testkit/netlab/netlab';
import { leaveIpv6Only, startNat64 } from '@svc/testkit/netlab/obstacles/nat64';
import { startPortal } from '@svc/testkit/netlab/obstacles/portal';
import { startVpn } from '@svc/testkit/netlab/obstacles/vpn';
import { LIKELY, SURE, UNSURE } from './confidence.ts';
import { APP, begun, lasting, READINGS, type Situation } from './situation.ts';

const portal: Situation['expected'] = {
  cause: ['network', 'unknown'],
  kind: 'captive_portal',
  confidence: [0.2, 1],
  actor: 'person',
};

/** A network's sign-in page that nobody has been at. */
export const PORTAL: readonly Situation[] = [
  {
    name: 'portal-redirects-http',
    truth: 'A sign-in page takes every web connection; what is opened is plain HTTP.',
    hurts: true,
    device: { sessionTargets: ['http://app.lab.test/'] },
    expected: portal,
    play: lasting(({ lab }) => startPortal(lab, 'redirect')),
  },
  {
    name: 'portal-redirects-https',
    truth: 'A sign-in page takes every web connection, HTTPS with its own certificate.',
    hurts: true,
    expected: portal,
    play: lasting(({ lab }) => startPortal(lab, 'redirect')),
  },
  {
    name: 'portal-by-dns',
    truth: 'Every name leads to a sign-in page.',
    hurts: true,
    expected: portal,
    play: lasting(({ lab }) => startPortal(lab, 'dns')),
  },
  {
    name: 'portal-drops-https',
    truth: 'A sign-in page takes HTTP and drops HTTPS; one target is HTTP.',
    hurts: true,
    device: { sessionTargets: [APP, 'http://crm.lab.test/'] },
    expected: portal,
    play: lasting(({ lab }) => startPortal(lab, 'dropping')),
  },
];

const underneath = async (stage: Parameters<Situation['play']>[0]) => await startVpn(stage.lab);

/** All traffic of the device goes into a tunnel. */
export const VPN: readonly Situation[] = [
  {
    name: 'healthy-vpn',
    truth: 'All traffic goes through a VPN, and nothing is wrong.',
    hurts: false,
    expected: { cause: 'none', kind: null, confidence: LIKELY },
    play: lasting(underneath),
  },
  {
    name: 'vpn-line-at-home-loses',
    truth: "Under the VPN, the provider's line at home loses 20 %.",
    hurts: true,
    expected: { cause: 'isp', kind: 'isp_loss', confidence: LIKELY, actor: 'provider' },
    play: lasting(async (stage) => {
      await underneath(stage);
      await stage.lab.setLink(1, { lossRatio: 0.2 });
    }),
  },
  {
    name: 'vpn-home-network-loses',
    truth: 'Under the VPN, the local network at home loses 20 %.',
    hurts: true,
    expected: { cause: 'local', kind: 'gateway_loss', confidence: LIKELY, actor: 'person' },
    play: lasting(async (stage) => {
      await underneath(stage);
      await stage.lab.setLink(0, { lossRatio: 0.2 });
    }),
  },
  {
    name: 'vpn-far-end-slow',
    truth: "The line is well; the company's VPN delays every packet by 600 ms.",
    hurts: true,
    expected: { cause: ['network', 'unknown'], kind: 'vpn', confidence: UNSURE, actor: 'it' },
    play: begun(async (stage) => await (await underneath(stage)).set({ delayMs: 300 })),
  },
  {
    name: 'vpn-far-end-loses',
    truth: "The line is well; the company's VPN loses 20 %.",
    hurts: true,
    expected: { cause: ['network', 'unknown'], kind: 'vpn', confidence: UNSURE, actor: 'it' },
    play: lasting(async (stage) => await (await underneath(stage)).set({ lossRatio: 0.2 })),
  },
  {
    name: 'vpn-gone',
    truth: "The company's VPN is down, and the device still sends everything into it.",
    hurts: true,
    expected: { cause: ['network', 'unknown'], kind: 'vpn', confidence: UNSURE, actor: 'it' },
    play: async (stage) => {
      const vpn = await underneath(stage);
      await stage.rounds(READINGS);
      await vpn.stop();
      await stage.rounds(READINGS);
    },
  },
  {
    name: 'vpn-service-slow',
    truth: 'Line and VPN are well; the service behind them takes 2.5 s for its first byte.',
    hurts: true,
    expected: { cause: 'network', kind: 'service_slow', confidence: LIKELY, actor: 'service' },
    play: lasting(async (stage) => {
      await underneath(stage);
      await stage.lab.setServer({ delayMs: 2500 });
    }),
  },
  {
    name: 'vpn-certificate',
    truth: 'Line and VPN are well; the certificate of the service behind them expired.',
    hurts: true,
    expected: { cause: ['network', 'unknown'], kind: 'certificate', confidence: LIKELY, actor: 'service' },
    play: lasting(async (stage) => {
      await underneath(stage);
      await stage.lab.setServer({ certificate: 'expired' });
    }),
  },
];

/** Devices without IPv4. */
export const IPV6_ONLY: readonly Situation[] = [
  {
    name: 'healthy-ipv6-only',
    truth: 'Nothing is wrong on a device without IPv4.',
    hurts: false,
    device: { traceTargets: [SERVER.v6] },
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: lasting(({ lab }) => leaveIpv6Only(lab)),
  },
  {
    name: 'healthy-nat64',
    truth: 'Nothing is wrong on a device without IPv4 whose services have nothing else: a NAT64 translates.',
    hurts: false,
    device: { traceTargets: [SERVER.v6] },
    expected: { cause: 'none', kind: null, confidence: SURE },
    play: lasting(({ lab }) => startNat64(lab)),
  },
  {
    name: 'ipv6-only-line-slow',
    truth: "The provider's line takes 300 ms on a device without IPv4.",
    hurts: true,
    device: { traceTargets: [SERVER.v6] },
    expected: { cause: 'isp', kind: 'isp_delay', confidence: SURE, actor: 'provider' },
    play: lasting(async ({ lab }) => {
      await leaveIpv6Only(lab);
      await lab.setLink(1, { delayMs: 150 });
    }),
  },
  {
    name: 'ipv6-only-resolver-silent',
    truth: 'The only resolver of a device without IPv4 is silent.',
    hurts: true,
    device: { traceTargets: [SERVER.v6] },
    expected: { cause: 'network', kind: 'dns_failing', confidence: SURE, actor: 'it' },
    play: begun(async ({ lab }) => {
      await leaveIpv6Only(lab);
      await lab.setServer({ dns6: { mode: 'silent' } });
    }),
  },
];
