import { afterEach, describe, expect, it } from 'vitest';
import { createNetlab, type Netlab, netlabUnavailable } from '../netlab.ts';
import { leaveIpv6Only, startNat64 } from './nat64.ts';
import { PORTAL_URL, startPortal } from './portal.ts';
import { startVpn } from './vpn.ts';

const reason = netlabUnavailable();
if (reason) console.warn(`SKIPPED: portals, tunnels and NAT64 of the network lab: ${reason}`);

const labs: Netlab[] = [];
const openLab = async (): Promise<Netlab> => {
  const lab = await createNetlab();
  labs.push(lab);
  return lab;
};
afterEach(async () => {
  await Promise.all(labs.splice(0).map((lab) => lab.close()));
});

/** Status and place of one answer, or the error's code; within two seconds. */
const GET = `const url = new URL(process.argv[1]);
const request = require('node:' + url.protocol.slice(0, -1)).get(url, { timeout: 2000 }, (r) => { console.log(r.statusCode, r.headers.location ?? '', r.socket.remoteAddress); process.exit(0); });
request.on('timeout', () => { console.log('silence'); process.exit(0); });
request.on('error', (e) => { console.log(e.code); process.exit(0); });`;
const get = async (lab: Netlab, url: string): Promise<string> => {
  const env = { NODE_EXTRA_CA_CERTS: lab.caFile };
  return (await lab.exec('client', [process.execPath, '-e', GET, url], { env })).stdout.trim();
};

describe.skipIf(reason)('what the network lab can put in the way', () => {
  it('a portal that redirects', async () => {
    const lab = await openLab();
    await startPortal(lab, 'redirect');
    expect(await get(lab, lab.urls.http)).toContain(`302 ${PORTAL_URL}`);
    expect(await get(lab, lab.urls.https)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('a portal that every name leads to', async () => {
    const lab = await openLab();
    await startPortal(lab, 'dns');
    expect(await get(lab, lab.urls.http)).toMatch(/192\.168\.77\.1$/);
  });

  it('a portal that drops HTTPS', async () => {
    const lab = await openLab();
    await startPortal(lab, 'dropping');
    expect(await get(lab, lab.urls.http)).toContain(PORTAL_URL);
    expect(await get(lab, lab.urls.https)).toBe('silence');
  });

  it('a VPN, whose far end may delay and go away', async () => {
    const lab = await openLab();
    const vpn = await startVpn(lab);
    const route = await lab.exec('client', ['ip', 'route', 'get', lab.server.v4]);
    expect(route.stdout).toContain('dev tun0');
    expect(await get(lab, lab.urls.https)).toContain('200');
    await vpn.stop();
    expect(await get(lab, lab.urls.https)).not.toContain('200');
  });

  it('a network of IPv6 alone, with a NAT64 for services that have none', async () => {
    const lab = await openLab();
    await leaveIpv6Only(lab);
    expect(await get(lab, lab.urls.https)).toMatch(/^200 {2}2001:db8:3::2$/);
    await startNat64(lab);
    expect(await get(lab, lab.urls.https)).toMatch(/^200 {2}64:ff9b::cb00:710a$/);
  });

  it('certificates that must be refused, services that hang up, and resolvers that fail', async () => {
    const lab = await openLab();
    const seen: string[] = [];
    for (const certificate of ['expired', 'other_name', 'unknown_authority', 'valid'] as const) {
      await lab.setServer({ certificate });
      seen.push(await get(lab, lab.urls.https));
    }
    expect(seen.slice(0, 2)).toEqual(['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID']);
    expect(seen[2]).toMatch(/UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/);
    expect(seen[3]).toContain('200');
    await lab.setServer({ sites: { 'crm.lab.test': { status: 503 } } });
    expect(await get(lab, 'https://crm.lab.test/')).toContain('503');
    await lab.setServer({ hangsUp: true });
    expect(await get(lab, lab.urls.https)).toBe('ECONNRESET');
    await lab.setServer({ dns: { mode: 'nxdomain' } });
    expect(await get(lab, lab.urls.https)).toBe('ENOTFOUND');
    await lab.setServer({ dns: { mode: 'servfail' } });
    expect(await get(lab, lab.urls.https)).toBe('EAI_AGAIN');
  });
});
