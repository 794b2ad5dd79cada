import { TOPICS } from '@svc/contracts/bus-topics';
import { toCanonicalView } from '@svc/contracts/rum/canonical-view';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AppError, parseTenantId } from '#kernel';
import { admitBeacon } from './admit.ts';
import type { JudgePast, RumContext } from './context.ts';

const PATH = '/demo/rum/past';
const BODY_BYTES = 2 * 1024 * 1024;

/** What tests of a host came to from a time on. */
const Stretch = z.strictObject({ from: z.iso.datetime(), host: z.string(), passed: z.number().int(), failed: z.number().int() });
const Past = z.strictObject({
  /** Beacons as they would have been sent, with when they would have been received. */
  views: z.array(z.strictObject({ at: z.iso.datetime(), beacon: z.record(z.string(), z.unknown()) })).max(2000),
  /** To be judged, once all views are there: the app by its key. */
  judge: z
    .strictObject({
      ...{ key: z.string(), from: z.iso.datetime(), to: z.iso.datetime() },
      test: z.strictObject({ id: z.string(), name: z.string() }),
      stretches: z.array(Stretch).max(1000),
    })
    .optional(),
});

type Judge = NonNullable<z.output<typeof Past>['judge']>;

async function judge({ registry }: RumContext, judgePast: JudgePast, asked: Judge): Promise<number> {
  const key = registry.find(asked.key);
  if (!key?.app) throw new AppError('unauthorized', 'There is no app with this key.');
  const tests = asked.stretches.map(({ from, host, passed, failed }) => ({
    ...{ fromMs: Date.parse(from), host, passed, failed },
    failing: failed === 0 ? [] : [{ ...asked.test, runs: passed + failed, failed }],
  }));
  return await judgePast(key.tenant, { app: key.app, fromMs: Date.parse(asked.from), toMs: Date.parse(asked.to), tests });
}

/**
 * The door by which `npm run demo` gives in a day that is over, in the build that it makes for itself and in no other one: everywhere else a
 * view's time is that of its receipt. Views are admitted as ever, but for the budget of their key.
 */
export async function mountPast(app: FastifyInstance, context: RumContext, judgePast: JudgePast): Promise<void> {
  const { registry, bus, counters } = context;
  const boundless: RumContext['registry'] = {
    ...registry,
    find: (text) => {
      const key = registry.find(text);
      return key && { ...key, bucket: { take: () => 0 } };
    },
  };
  app.post(PATH, { config: { rate: 'none' as const }, bodyLimit: BODY_BYTES }, async ({ body }, reply) => {
    const past = Past.parse(body);
    const views = past.views.map(({ at, beacon }) => {
      const bytes = Buffer.from(JSON.stringify(beacon), 'utf8');
      const delivery = { bytes, isTooLarge: false, isEncoded: false, origin: undefined };
      return { ...admitBeacon({ ...context, registry: boundless }, delivery), receivedAtMs: Date.parse(at) };
    });
    const messages = views.map((view) => ({
      tenant: parseTenantId(view.tenant),
      value: Buffer.from(JSON.stringify(toCanonicalView(view)), 'utf8'),
    }));
    if (messages.length > 0) await bus.publish(TOPICS.rumEvents, messages);
    for (const { tenant, app: name } of views) counters.add({ tenant: parseTenantId(tenant), app: name, word: 'accepted' });
    const stretches = past.judge ? await judge(context, judgePast, past.judge) : 0;
    return await reply.code(202).send({ accepted: views.length, stretches });
  });
}
