// Sends beacons over connections that stay open, as written bytes: an HTTP client of its own would take the core that is to be measured.
import { connect, type TLSSocket } from 'node:tls';

export interface Order {
  port: number;
  ca: string;
  connections: number;
  /** Bodies, sent in turn. */
  bodies: readonly string[];
  warmMs: number;
  seconds: number;
}

export interface Report {
  /** Acknowledged with 202, warming included. */
  accepted: number;
  /** Of the measured while. */
  measured: number;
  seconds: number;
  /** Anything but 202, by status. */
  others: Record<string, number>;
  p50Ms: number;
  p99Ms: number;
}

export type FromLoad = { type: 'warm' } | { type: 'done'; report: Report };

const STATUS = /^HTTP\/1\.1 (\d{3})/;
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Bytes of the first answer in a text; 0 while it is not whole. */
function lengthOf(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const whole = head + 4 + Number(LENGTH.exec(text.slice(0, head + 2))?.[1] ?? 0);
  return text.length >= whole ? whole : 0;
}

function openOne({ port, ca }: Order): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', servername: 'localhost', port, ca, ALPNProtocols: ['http/1.1'] }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

async function run(order: Order): Promise<Report> {
  const requests = order.bodies.map((body) =>
    Buffer.from(
      `POST /ingest/rum HTTP/1.1\r\nhost: localhost:${order.port}\r\norigin: https://shop.example\r\ncontent-type: text/plain;charset=UTF-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  );
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => openOne(order)));
  const report: Report = { accepted: 0, measured: 0, seconds: order.seconds, others: {}, p50Ms: 0, p99Ms: 0 };
  const tookMs: number[] = [];
  const beganMs = performance.now();
  const [fromMs, toMs] = [beganMs + order.warmMs, beganMs + order.warmMs + order.seconds * 1000];
  setTimeout(() => process.send?.({ type: 'warm' } satisfies FromLoad), order.warmMs);
  let next = 0;
  const lane = (socket: TLSSocket): Promise<void> =>
    new Promise((resolve, reject) => {
      let waiting = '';
      let sentMs = 0;
      const send = (): void => {
        sentMs = performance.now();
        if (sentMs >= toMs) return void resolve(void socket.end());
        socket.write(requests[next++ % requests.length] as Buffer);
      };
      socket.setEncoding('latin1');
      socket.on('error', reject);
      socket.on('data', (part: string) => {
        waiting += part;
        const whole = lengthOf(waiting);
        if (whole === 0) return;
        const status = STATUS.exec(waiting)?.[1] ?? 'none';
        waiting = waiting.slice(whole);
        const nowMs = performance.now();
        if (status === '202') {
          report.accepted += 1;
          if (nowMs >= fromMs && nowMs <= toMs) {
            report.measured += 1;
            tookMs.push(nowMs - sentMs);
          }
        } else report.others[status] = (report.others[status] ?? 0) + 1;
        send();
      });
      send();
    });
  await Promise.all(sockets.map(lane));
  tookMs.sort((a, b) => a - b);
  report.p50Ms = tookMs[Math.floor(tookMs.length / 2)] ?? Number.NaN;
  report.p99Ms = tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN;
  return report;
}

process.once('message', async (order: Order) => {
  process.send?.({ type: 'done', report: await run(order) } satisfies FromLoad);
  process.disconnect?.();
});
