import type { Meter } from '@opentelemetry/api';
import type { Bus } from '#bus';
import { SECONDS } from './durations.ts';

/** A bus that does not say how far behind a reader is must not hold up the look at everything else. */
const LAG_LIMIT_MS = 2000;

interface Reader {
  topic: string;
  group: string;
  lag: () => Promise<number>;
}

const within = <T>(work: Promise<T>, limitMs: number): Promise<T | undefined> => {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs);
  return Promise.race([work.catch(() => undefined), late.promise]).finally(() => clearTimeout(timer));
};

/** The same bus, timed: how long publishing takes until it is durable, how long readers take, how far behind each is. */
export function measureBus(meter: Meter, bus: Bus): Bus {
  const published = meter.createHistogram('svc.bus.publish.duration', {
    ...SECONDS,
    description: 'From handing messages over until they are durable.',
  });
  const handled = meter.createHistogram('svc.bus.handle.duration', {
    ...SECONDS,
    description: 'Time that a consumer takes for one batch.',
  });
  const readers = new Set<Reader>();
  meter
    .createObservableGauge('svc.bus.lag', {
      unit: '{message}',
      description: 'Messages published and not yet handled by a group.',
    })
    .addCallback(async (result) => {
      const read = async ({ topic, group, lag }: Reader) => ({ topic, group, lag: await within(lag(), LAG_LIMIT_MS) });
      for (const { topic, group, lag } of await Promise.all([...readers].map(read)))
        if (lag !== undefined) result.observe(lag, { topic, group });
    });
  const timed = async (work: () => Promise<void>, note: (seconds: number, outcome: string) => void): Promise<void> => {
    const began = performance.now();
    try {
      await work();
      note((performance.now() - began) / 1000, 'ok');
    } catch (error) {
      note((performance.now() - began) / 1000, 'failed');
      throw error;
    }
  };
  return {
    kind: bus.kind,
    publish: (topic, messages) =>
      timed(
        () => bus.publish(topic, messages),
        (seconds, outcome) => published.record(seconds, { topic, outcome }),
      ),
    async subscribe(options, handler) {
      const { topic, group } = options;
      const subscription = await bus.subscribe(options, (batch, signal) =>
        timed(
          () => handler(batch, signal),
          (seconds, outcome) => handled.record(seconds, { topic, group, outcome }),
        ),
      );
      const reader: Reader = { topic, group, lag: () => subscription.lag() };
      readers.add(reader);
      return {
        lag: () => subscription.lag(),
        close() {
          readers.delete(reader);
          return subscription.close();
        },
      };
    },
    health: () => bus.health(),
    close: () => bus.close(),
  };
}
