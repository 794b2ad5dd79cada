// usage: hold-connections.ts PORT COUNT FROM: opens TCP connections that say nothing, prints how many stand, and keeps them until it is ended.
import { connect } from 'node:net';

const [port = '', count = '', from = '127.0.0.1'] = process.argv.slice(2);
const AT_ONCE = 200;
const ANSWER_MS = 3000;

const open = (): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: from });
    const limit = setTimeout(() => resolve(false), ANSWER_MS);
    const done = (stands: boolean) => {
      clearTimeout(limit);
      resolve(stands);
    };
    socket.once('connect', () => done(true));
    socket.on('error', () => done(false));
  });

let stand = 0;
for (let begun = 0; begun < Number(count); begun += AT_ONCE)
  stand += (await Promise.all(Array.from({ length: Math.min(AT_ONCE, Number(count) - begun) }, open))).filter(Boolean).length;
process.stdout.write(`${stand}\n`);
setInterval(() => {}, 1000);
