import type { FastifyInstance } from 'fastify';
import type { Health } from '#kernel';
import { mountErrorCodes } from './problem.ts';
import { mountSecurityContact, type SecurityContactDeps } from './security-contact.ts';

export interface Readiness {
  /** Serving until a stop begins; then draining for good. */
  phase: 'starting' | 'serving' | 'draining';
}

export interface HealthDeps extends SecurityContactDeps {
  readiness: Readiness;
  /** Name to check, of stores and slices. */
  checks: () => Promise<Record<string, Health>>;
}

const CHECK_EVERY_MS = 2000;

/** /healthz and /readyz: without a session, never rate limited, and cheap however often they are asked; /.well-known/security.txt and the page of error codes. */
export function mountHealth(app: FastifyInstance, deps: HealthDeps): void {
  const options = { config: { rate: 'none' as const }, logLevel: 'silent' as const };
  let last: { at: number; checks: Promise<Record<string, Health>> } | undefined;
  const cached = () => {
    if (!last || deps.now() - last.at > CHECK_EVERY_MS) last = { at: deps.now(), checks: deps.checks() };
    return last.checks;
  };

  app.get('/healthz', options, async () => ({ status: 'alive' }));

  app.get('/readyz', options, async (_request, reply) => {
    if (deps.readiness.phase !== 'serving') return reply.code(503).send({ status: deps.readiness.phase });
    const checks = await cached();
    const failed = Object.values(checks).some((health) => health.status === 'failed');
    // Which component failed is for the operator's log and diagnostics; this page is public.
    const components = Object.fromEntries(Object.entries(checks).map(([name, health]) => [name, health.status]));
    return reply.code(failed ? 503 : 200).send({ status: failed ? 'failed' : 'ready', components });
  });
  mountSecurityContact(app, deps);
  mountErrorCodes(app);
}
