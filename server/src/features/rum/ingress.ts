import type { Readable } from 'node:stream';
import { TOPICS } from '@svc/contracts/bus-topics';
import { toCanonicalView } from '@svc/contracts/rum/canonical-view';
import { BEACON_BYTES } from '@svc/contracts/rum/kinds';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, parseTenantId } from '#kernel';
import { admitBeacon, type Delivery } from './admit.ts';
import type { RumContext } from './context.ts';
import { surfaceOf } from './surface.ts';

const PATH = '/ingest/rum';
const ACCEPTED = JSON.stringify({ accepted: true });
/** Browsers ask for leave once a day at most; our script asks for none, since it sends text. */
const PREFLIGHT_SECONDS = '86400';

/** Reads a body up to its bound; what is over it is left unread, and its beginning says whose it is. */
async function readBody(request: FastifyRequest, payload: Readable): Promise<Delivery> {
  const { origin, 'content-encoding': encoding } = request.headers;
  const chunks: Buffer[] = [];
  let length = 0;
  let isTooLarge = Number(request.headers['content-length']) > BEACON_BYTES;
  // It stays open when reading ends early: the answer goes by the same connection.
  for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    length += chunk.length;
    if (length > BEACON_BYTES) isTooLarge = true;
    if (isTooLarge) break;
  }
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  const isEncoded = encoding !== undefined && encoding.toLowerCase() !== 'identity';
  return { bytes: isTooLarge ? bytes.subarray(0, BEACON_BYTES) : bytes, isTooLarge, isEncoded, origin };
}

/** Takes beacons: the surface that everybody on the internet may reach. Acknowledged when the bus has the view durably. */
export async function mountIngress(app: FastifyInstance, context: RumContext): Promise<void> {
  const { bus, counters } = context;
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Whatever it calls itself: a browser sends text so that it need not ask first.
    scope.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => await readBody(request, payload));
    scope.addHook('onRequest', async (_request, reply) => {
      void reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin');
      if (surfaceOf(context) !== 'open') throw new AppError('not_found', 'No beacons are taken here.');
    });
    // Budgets are those of keys: behind one address are many visitors.
    const config = { rate: 'none' as const };
    scope.options(PATH, { config }, (_request, reply) =>
      reply
        .code(204)
        .header('access-control-allow-methods', 'POST, OPTIONS')
        .header('access-control-allow-headers', 'content-type')
        .header('access-control-max-age', PREFLIGHT_SECONDS)
        .send(),
    );
    scope.post<{ Body: Delivery | undefined }>(PATH, { config }, async ({ body, headers }, reply) => {
      const delivery = body ?? { bytes: Buffer.alloc(0), isTooLarge: false, isEncoded: false, origin: headers.origin };
      // What is still on its way of a body that nobody reads would be taken for the next request.
      if (delivery.isTooLarge) reply.header('connection', 'close');
      const view = admitBeacon(context, delivery);
      const tenant = parseTenantId(view.tenant);
      await bus.publish(TOPICS.rumEvents, [{ tenant, value: Buffer.from(JSON.stringify(toCanonicalView(view)), 'utf8') }]);
      counters.add({ tenant, app: view.app, word: 'accepted' });
      return await reply.code(202).type('application/json; charset=utf-8').send(ACCEPTED);
    });
  });
}
