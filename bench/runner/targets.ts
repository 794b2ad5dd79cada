import { createSocket } from 'node:dgram';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { createChain } from '@svc/testkit/netlab/certificates';

// What is tested, in a process of its own: HTTPS, TCP and a name server on loopback.
const chain = await createChain({ dns: ['localhost'], ip: ['127.0.0.1'] });

/** The question with one address behind it. */
function answerOf(question: Buffer): Buffer {
  const answer = Buffer.concat([question.subarray(0, 12), question.subarray(12, question.indexOf(0, 12) + 5)]);
  answer.writeUInt16BE(0x8180, 2);
  answer.writeUInt16BE(1, 4);
  answer.writeUInt16BE(1, 6);
  answer.writeUInt32BE(0, 8);
  return Buffer.concat([answer, Buffer.from('c00c000100010000003c0004c0000201', 'hex')]);
}

const web = createHttps({ cert: `${chain.cert}${chain.intermediate}`, key: chain.key, keepAliveTimeout: 1 }, (_, response) => {
  response.setHeader('connection', 'close');
  response.end('fine'.repeat(256));
}).listen(0, '127.0.0.1');
const tcp = createTcp((socket) => {
  socket.on('error', () => {});
  socket.end('hello\r\n');
}).listen(0, '127.0.0.1');
const dns = createSocket('udp4');
dns.on('message', (question, { port, address }) => dns.send(answerOf(question), port, address));
await new Promise<void>((resolve) => dns.bind(0, '127.0.0.1', resolve));
const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
process.send?.({ https: portOf(web), tcp: portOf(tcp), dns: dns.address().port, ca: chain.ca });
