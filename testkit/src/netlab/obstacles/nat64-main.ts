/** The TCP half of a NAT64: connections to 64:ff9b::/96 go on to the IPv4 address in them. */
import net from 'node:net';
import { serveControl } from '../control.ts';

const PORTS = [80, 443] as const;

/** 64:ff9b::cb00:710a is 203.0.113.10. */
function ipv4In(address: string): string {
  const [high = '0', low = '0'] = address.split(':').slice(-2);
  const value = (Number.parseInt(high || '0', 16) << 16) | Number.parseInt(low || '0', 16);
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

for (const port of PORTS) {
  net
    .createServer({ pauseOnConnect: true }, (client) => {
      const upstream = net.connect(port, ipv4In(client.localAddress ?? ''), () => {
        upstream.pipe(client).pipe(upstream);
        client.resume();
      });
      upstream.on('error', () => client.resetAndDestroy());
      client.on('error', () => upstream.destroy());
    })
    .listen(port, '::');
}
serveControl(() => undefined);
