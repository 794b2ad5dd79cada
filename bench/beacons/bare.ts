// A bare Fastify route that reads the same body over TLS and answers: what the beacons' own route is compared with.
// usage: node bench/beacons/bare.ts <folder of the certificate>; tells its port to its parent
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify from 'fastify';

const folder = process.argv[2] ?? '';
const [cert, key] = ['server.crt', 'server.key'].map((name) => readFileSync(join(folder, name)));
const app = Fastify({ https: { cert: cert as Buffer, key: key as Buffer }, logger: false });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/ingest/rum', (_request, reply) => reply.code(202).type('application/json; charset=utf-8').send('{"accepted":true}'));
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
process.send?.(typeof address === 'object' ? address?.port : undefined);
process.once('disconnect', () => process.exit(0));
