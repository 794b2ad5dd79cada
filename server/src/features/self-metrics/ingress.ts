import type { Meter } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { constantTimeEqual } from '#crypto';
import { AppError, type Secret } from '#kernel';
import { SECONDS } from './durations.ts';

export interface ScrapeDeps {
  meter: Meter;
  token: Secret | undefined;
  /** The text of a scrape. */
  render: () => Promise<string>;
  /** Names of the procedures: no other becomes a label. */
  procedures: () => ReadonlySet<string>;
}

const BEARER = /^Bearer (\S{1,512})$/i;

/** Fails closed: without a token set nobody is answered. */
function admit(request: FastifyRequest, token: Secret | undefined): void {
  const given = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (token !== undefined && constantTimeEqual(given, token.reveal())) return;
  throw new AppError('unauthorized', 'This needs the bearer token that SVC_METRICS_TOKEN sets.');
}

function procedureOf(request: FastifyRequest, known: ReadonlySet<string>): Record<string, string> {
  if (!request.routeOptions.url?.startsWith('/trpc/')) return {};
  const { pathname } = new URL(request.url, 'https://any');
  const name = pathname.slice('/trpc/'.length);
  if (name.includes(',')) return { procedure: 'batch' };
  return { procedure: known.has(name) ? name : 'unknown' };
}

/** `GET /metrics` in Prometheus' text, and the time of every request to a route that is mounted after this. */
export function mountScrape(app: FastifyInstance, { meter, token, render, procedures }: ScrapeDeps): void {
  const answered = meter.createHistogram('svc.api.duration', { ...SECONDS, description: 'Time of a request, by route.' });
  let known: ReadonlySet<string> | undefined;
  app.addHook('onResponse', async (request, reply) => {
    known ??= procedures();
    answered.record(reply.elapsedTime / 1000, {
      method: request.method,
      // The pattern, never the path: a caller cannot make series.
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
      ...procedureOf(request, known),
    });
  });
  app.get('/metrics', { logLevel: 'silent' }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    try {
      admit(request, token);
    } catch (error) {
      reply.header('www-authenticate', 'Bearer');
      throw error;
    }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await render());
  });
}
