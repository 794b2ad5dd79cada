import { connect } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { createGrpcEdge } from './grpc.ts';

it('is not held open beyond its limit by a client that never begins TLS', async () => {
  const ca = await createRootCa({ commonName: 'edge test' });
  const leaf = await createServerLeaf(ca, { hosts: ['localhost', '127.0.0.1'] });
  const edge = createGrpcEdge({
    tls: { key: leaf.keyPem, cert: leaf.certPem, clientRoots: ca.certPem },
    mounts: [],
    verifyAgent: async () => {
      throw new Error('nobody asks');
    },
    log: Fastify({ logger: { level: 'silent' } }).log,
  });
  const port = await edge.listen({ host: '127.0.0.1', port: 0 });
  const silent = connect(port, '127.0.0.1');
  await new Promise((resolve) => silent.once('connect', resolve));
  try {
    const began = performance.now();
    await edge.drain(200);
    expect(performance.now() - began).toBeLessThan(2000);
  } finally {
    silent.destroy();
    await edge.close();
  }
});
