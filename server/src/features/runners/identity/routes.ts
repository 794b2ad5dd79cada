import { EnrollRunner, RenewRunner } from '@svc/contracts/tests/runner-protocol';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { AppError } from '#kernel';
import type { RunnersDeps } from '../context.ts';
import { enrolRunner, renewRunner } from './enrol.ts';

const BODY_LIMIT_BYTES = 16 * 1024;
const CONTROL = /\p{Cc}|\p{Cs}/u;

function parseBody<T extends object>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    throw new AppError('validation', 'The request is not valid.', { faults });
  }
  // The PEM of a request has line ends; nothing else that a runner tells has control characters.
  const texts = Object.entries(parsed.data).flatMap(([path, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value)
          .flat()
          .map((text) => [path, text])
      : [[path, value]],
  );
  const faults = texts
    .filter(([path, text]) => path !== 'csr' && typeof text === 'string' && CONTROL.test(text))
    .map(([path]) => ({ path: String(path), message: 'No control characters.' }));
  if (faults.length > 0) throw new AppError('validation', 'The request is not valid.', { faults });
  return parsed.data;
}

/** `POST /runner/v1/enroll` and `/runner/v1/renew`: no session; a token or the enrolled key's signature is the credential. */
export function mountRunnerRoutes(app: FastifyInstance, deps: RunnersDeps): void {
  const perMinute = deps.enrollRatePerMinute;
  const options = { bodyLimit: BODY_LIMIT_BYTES, config: { rate: perMinute > 0 ? { perMinute } : ('none' as const) } };
  app.post('/runner/v1/enroll', options, async (request) => await enrolRunner(deps, parseBody(EnrollRunner, request.body)));
  app.post('/runner/v1/renew', options, async (request) => await renewRunner(deps, parseBody(RenewRunner, request.body)));
}
