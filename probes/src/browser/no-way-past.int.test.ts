import dgram from 'node:dgram';
import net from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { createServers, toolsWith } from '../synthetic/testing/servers.ts';
import { startChromium } from './chromium.ts';
import { startFilteringProxy } from './filtering-proxy.ts';
import { CHROMIUM, hasChromium } from './testing/left-behind.ts';

const servers = createServers();
afterAll(() => servers.close());

describe.skipIf(!hasChromium)('a browser', () => {
  it('reaches nothing but through its proxy: no name, no datagram, no QUIC, no traffic of its own', async () => {
    const direct: string[] = [];
    const tcp = await servers.raw(() => void direct.push('tcp'));
    const udp = dgram.createSocket('udp4');
    udp.on('message', () => direct.push('udp'));
    await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
    const { port } = udp.address();
    const page = await servers.http((_request, response) =>
      response
        .writeHead(200, { 'content-type': 'text/html', 'alt-svc': `h3=":${port}"` })
        .end(`<link rel=dns-prefetch href="//other.example"><link rel=preconnect href="http://127.0.0.1:${tcp}">
        <h1>x</h1><script>
        const rtc = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:${port}' }, { urls: 'turn:127.0.0.1:${tcp}?transport=tcp', username: 'a', credential: 'b' }] });
        const seen = []; rtc.onicecandidate = ({ candidate }) => candidate && seen.push(candidate.candidate);
        rtc.createDataChannel('x'); rtc.createOffer().then((offer) => rtc.setLocalDescription(offer));
        try { new WebTransport('https://127.0.0.1:${port}/').ready.catch(() => 0); } catch {}
        setTimeout(() => { document.title = 'done ' + seen.length; }, 3000);</script>`),
    );
    const signal = AbortSignal.timeout(60_000);
    const giveUp = (): void => undefined;
    const proxy = await startFilteringProxy({ tools: toolsWith(), signal, giveUp, isAsked: () => false });
    const wish = {
      program: CHROMIUM,
      proxyPort: proxy.port,
      viewport: { width: 320, height: 240 },
      acceptInvalid: true,
      signal,
      giveUp,
    };
    const chromium = await startChromium(wish);
    try {
      const [tab] = chromium.context.pages();
      await tab?.goto(page);
      await expect.poll(() => tab?.title(), { timeout: 20_000 }).toBe('done 0');
    } finally {
      await chromium.close();
      proxy.close();
      udp.close();
    }
    // What came to the port of TURN came through the proxy, which asked its guard.
    expect(direct.filter((kind) => kind === 'udp')).toEqual([]);
    expect(proxy.hosts().filter((host) => net.isIP(host) === 0)).toEqual([]);
  });
});
