import { EnrollRequest, RenewRequest } from '@svc/contracts/agent/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { sha256 } from '#crypto';
import { AppError, type Fault } from '#kernel';
import type { FleetContext } from './context.ts';
import { enrolAgent } from './enrol/enrol.ts';
import { renewAgent } from './enrol/renew.ts';

const BODY_LIMIT_BYTES = 16 * 1024;

const CONTROL = /\p{Cc}|\p{Cs}/u;

function parseBody<T extends object>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  const faults: Fault[] = (parsed.error?.issues ?? []).map(({ path, message }) => ({ path: path.join('.'), message }));
  if (parsed.success) {
    // The PEM of a request has line ends; nothing else that a device tells has control characters.
    for (const [path, value] of Object.entries(parsed.data)) {
      if (path !== 'csr' && typeof value === 'string' && CONTROL.test(value))
        faults.push({ path, message: 'No control characters.' });
    }
    if (faults.length === 0) return parsed.data;
  }
  throw new AppError('validation', 'The request is not valid.', { faults });
}

/** Keeps of each JSON body the SHA-256 of its very bytes, of which the receipt speaks, and parses it as everywhere else. */
function digestBodies(app: FastifyInstance): (request: FastifyRequest) => Buffer {
  const digests = new WeakMap<FastifyRequest, Buffer>();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    digests.set(request, sha256(body));
    parse(request, body.toString('utf8'), done);
  });
  // A request without a body is refused before anything is signed.
  return (request) => digests.get(request) ?? sha256(Buffer.alloc(0));
}

/** `POST /agent/v1/enroll` and `/agent/v1/renew`: no session; a token or the enrolled key's signature is the credential. */
export function mountAgentRoutes(app: FastifyInstance, context: FleetContext): void {
  const perMinute = context.enrollRatePerMinute;
  const options = { bodyLimit: BODY_LIMIT_BYTES, config: { rate: perMinute > 0 ? { perMinute } : ('none' as const) } };
  app.register(async (agents) => {
    const digestOf = digestBodies(agents);
    agents.post('/agent/v1/enroll', options, async (request) =>
      enrolAgent(context, parseBody(EnrollRequest, request.body), digestOf(request)),
    );
    agents.post('/agent/v1/renew', options, async (request) =>
      renewAgent(context, parseBody(RenewRequest, request.body), digestOf(request)),
    );
  });
}
