import type { Clock, TenantId } from '#kernel';
import { FingerprintSet, hashText } from '#telemetry';

/** Distinct targets whose results make series of their own, in a day (UTC). A policy names 48 for an agent; it may change within a day. */
export const TARGET_BOUNDS = { perAgent: 100, perTenant: 10_000 } as const;
/** The target that series of all further ones have. */
export const OTHER_TARGET = 'other';

/** Agents that are remembered with their targets, over all tenants. */
const MAX_AGENTS = 200_000;
const DAY_MS = 86_400_000;
/** With the low half as many bits as a number holds: a device finds two targets with one low half in a second. */
const HIGH_BITS = 0x1fffff;

interface TenantTargets {
  day: number;
  targets: FingerprintSet;
  /** Hashes of targets, by agent. */
  agents: Map<string, number[]>;
}

const newTargets = (day: number): TenantTargets => ({ day, targets: new FingerprintSet(), agents: new Map() });

export interface TargetsDeps {
  clock: Clock;
  bounds?: { perAgent: number; perTenant: number };
  /** Told of each result whose target is beyond the bound. */
  note?: ((tenant: TenantId, beyond: { folded: number; bound: number }) => void) | undefined;
}

/** Which target the series of a result have. Counted since the start of this process or of the day, whichever is later. */
export interface Targets {
  labelOf(owner: { tenant: TenantId; agent: string; target: string }): string;
}

/** Bounds the targets of each agent and each tenant: a device chooses the addresses that it reports. */
export function createTargets({ clock, bounds = TARGET_BOUNDS, note }: TargetsDeps): Targets {
  const tenants = new Map<TenantId, TenantTargets>();
  let agents = 0;

  function ofToday(tenant: TenantId): TenantTargets {
    const day = Math.floor(clock.now() / DAY_MS);
    const known = tenants.get(tenant);
    // A clock that went back over midnight goes on with what it has.
    if (known && day <= known.day) return known;
    agents -= known?.agents.size ?? 0;
    const made = newTargets(day);
    tenants.set(tenant, made);
    return made;
  }

  /** The tenant with most agents begins anew. */
  function makeRoom(): void {
    let most: TenantTargets | undefined;
    for (const one of tenants.values()) if (!most || one.agents.size > most.agents.size) most = one;
    agents -= most?.agents.size ?? 0;
    most?.agents.clear();
  }

  function ofAgent(of: TenantTargets, agent: string): number[] {
    const known = of.agents.get(agent);
    if (known) return known;
    if (agents >= MAX_AGENTS) makeRoom();
    agents++;
    const made: number[] = [];
    of.agents.set(agent, made);
    return made;
  }

  function isWithin(of: TenantTargets, agent: string, target: string): boolean {
    const { low, high } = hashText(target);
    const own = ofAgent(of, agent);
    const known = (high & HIGH_BITS) * 2 ** 32 + low;
    if (own.includes(known)) return true;
    if (own.length >= bounds.perAgent) return false;
    if (!of.targets.has(low, high)) {
      if (of.targets.size >= bounds.perTenant) return false;
      of.targets.add(low, high);
    }
    own.push(known);
    return true;
  }

  return {
    labelOf({ tenant, agent, target }) {
      if (target === '' || isWithin(ofToday(tenant), agent, target)) return target;
      note?.(tenant, { folded: 1, bound: bounds.perTenant });
      return OTHER_TARGET;
    },
  };
}
