import { expect } from 'vitest';
import { attack } from '../harness/attack.ts';
import { isFair, measureSharesAgain, type Probed, tellShare } from '../harness/fair-share.ts';
import { fleetUnavailable, withFleet } from '../harness/fleet.ts';
import type { Ground } from '../harness/ground.ts';
import { LOUD } from '../harness/loud-tenant.ts';
import { openQuietTenant } from '../harness/quiet-tenant.ts';

/** One for all loud tenants: the quiet one's accounts are made once. */
const quiet = new WeakMap<Ground, Promise<Record<string, Probed>>>();

for (const [title, { surfaces, worst }] of Object.entries(LOUD))
  attack({
    name: `a quiet tenant is served as before beside ${title}`,
    surfaces,
    cost: 'long',
    limitMs: 240_000,
    async run(ground) {
      const probes = quiet.get(ground) ?? openQuietTenant(ground);
      quiet.set(ground, probes);
      const shares = await measureSharesAgain(await probes, { worst: (signal) => worst(ground, signal) });
      process.stdout.write(`${title}\n  ${shares.map(tellShare).join('\n  ')}\n`);
      expect(shares.filter((share) => !isFair(share)).map(tellShare)).toEqual([]);
    },
  });

/** What each replica bounds for itself, or what both take from the same store or broker. */
const AT_BOTH_REPLICAS = ['many log records', 'searches over a month'] as const;

for (const title of AT_BOTH_REPLICAS)
  attack({
    name: `in a fleet a quiet tenant is served as before beside ${title}, at both replicas`,
    surfaces: LOUD[title]?.surfaces ?? [],
    cost: 'long',
    limitMs: 300_000,
    whyNot: fleetUnavailable,
    run: () =>
      withFleet(async ({ first, second }) => {
        const probes = quiet.get(first) ?? openQuietTenant(first);
        quiet.set(first, probes);
        const { doors, api } = second;
        const targets = [first, { hostile: first.hostile, doors, api }];
        const worst = (signal: AbortSignal) => Promise.all(targets.map((target) => LOUD[title]?.worst(target, signal)));
        const shares = await measureSharesAgain(await probes, { worst });
        process.stdout.write(`${title}, at both replicas\n  ${shares.map(tellShare).join('\n  ')}\n`);
        expect(shares.filter((share) => !isFair(share)).map(tellShare)).toEqual([]);
      }),
  });
