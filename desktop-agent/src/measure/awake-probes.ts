import { Halted } from './activity.ts';
import type { ProbeSet } from './probe-set.ts';
import { createSleepWatch } from './sleep-watch.ts';

/** Probes whose machine fell asleep under them measured the sleep: what they bring is given up with `Halted`. */
export function createAwakeProbes(probes: ProbeSet, steady: () => number): ProbeSet {
  const awake =
    <I, O>(measure: (request: I) => Promise<O>) =>
    async (request: I): Promise<O> => {
      const slept = createSleepWatch(steady);
      const measured = await measure(request).catch((error: unknown) => {
        throw slept() ? new Halted('the machine slept') : error;
      });
      if (slept()) throw new Halted('the machine slept');
      return measured;
    };
  return {
    readWifi: awake(probes.readWifi),
    readResolvers: () => probes.readResolvers(),
    measureGateway: awake(probes.measureGateway),
    measureForwarding: awake(probes.measureForwarding),
    measurePath: awake(probes.measurePath),
    measurePathMtu: awake(probes.measurePathMtu),
    measureResolver: awake(probes.measureResolver),
    measureSession: awake(probes.measureSession),
  };
}
