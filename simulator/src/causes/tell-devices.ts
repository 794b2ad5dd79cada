import type { Cause } from '@svc/contracts/verdict';
import { createRandom, hashOf } from '../domain/random.ts';
import { activeFaults } from './requests.ts';
import { MINUTE_MS, type Scenario, type SitePlan } from './scenario.ts';
import type { Stretch } from './tell-traffic.ts';

/** Verdicts of the devices at the sites of a scenario, as their agents send them. */

export interface SimulatedVerdict {
  /** Place of the device among those of the scenario. */
  device: number;
  site: string;
  gateway: string;
  atMs: number;
  cause: Cause;
  sinceMs: number;
}

const EVERY_MS = 2 * MINUTE_MS;
/** One in so many has bad Wi-Fi of its own. */
const OWN_TROUBLE = 24;

function verdictOf(
  scenario: Scenario,
  { site, place, atMs, onsetMs }: { site: SitePlan; place: number; atMs: number; onsetMs: number },
): { cause: Cause; sinceMs: number } {
  const random = createRandom(hashOf('device', scenario.seed, site.name, place));
  const [share, lateMs] = [random.next(), random.next() * MINUTE_MS];
  const hurt = activeFaults(scenario, 'devices', atMs - onsetMs - lateMs).find(
    (one) => one.site === site.name && share < one.share,
  );
  if (hurt) return { cause: hurt.cause, sinceMs: onsetMs + (hurt.fromMs ?? 0) + lateMs };
  return place % OWN_TROUBLE === 5
    ? { cause: 'wifi', sinceMs: onsetMs - 90 * MINUTE_MS }
    : { cause: 'none', sinceMs: onsetMs - 90 * MINUTE_MS };
}

/** Verdicts that are made in a stretch of time. */
export function verdictsOf(scenario: Scenario, { onsetMs, fromMs, toMs }: Stretch): SimulatedVerdict[] {
  const verdicts: SimulatedVerdict[] = [];
  let device = 0;
  for (const site of scenario.estate.sites)
    for (let place = 0; place < site.devices; place += 1, device += 1) {
      const offsetMs = hashOf('round', scenario.seed, device) % EVERY_MS;
      const first = Math.ceil((fromMs - offsetMs) / EVERY_MS) * EVERY_MS + offsetMs;
      for (let atMs = first; atMs < toMs; atMs += EVERY_MS)
        verdicts.push({
          device,
          site: site.name,
          gateway: site.gateway,
          atMs,
          ...verdictOf(scenario, { site, place, atMs, onsetMs }),
        });
    }
  return verdicts.sort((a, b) => a.atMs - b.atMs);
}
