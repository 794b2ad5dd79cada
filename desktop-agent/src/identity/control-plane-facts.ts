import type { ServerMessage } from '@svc/contracts/agent/messages';
import { decodeShared, type SharedTold } from '@svc/contracts/agent/shared-told';
import { RINGS } from '@svc/contracts/releases/rings';
import type { KeptFile } from '../kept-file.ts';

type Ring = (typeof RINGS)[number];

/** What the control plane says of itself and of this device's place in it; kept, so that it is known without a connection. */
export interface ControlPlaneFacts {
  organisation: string | null;
  /** People who may see what this device sends. */
  readers: number | null;
  keptDays: number | null;
  ring: Ring | null;
  /** What others at this place have too; it is of now, and not kept. */
  shared: SharedTold | null;
  /** True where something changed. */
  hear(message: ServerMessage): boolean;
}

const MAX_NAME = 256;
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** A file that is missing or damaged is as none. */
export async function openControlPlaneFacts(file: KeptFile): Promise<ControlPlaneFacts> {
  const kept = ((await file.read()) ?? {}) as Partial<Record<string, unknown>>;
  const asRing = (value: unknown): Ring | null => RINGS.find((ring) => ring === value) ?? null;
  const facts: ControlPlaneFacts = {
    organisation: typeof kept.organisation === 'string' ? kept.organisation.slice(0, MAX_NAME) : null,
    readers: isCount(kept.readers) ? kept.readers : null,
    keptDays: isCount(kept.keptDays) ? kept.keptDays : null,
    ring: asRing(kept.ring),
    shared: null,
    hear(message) {
      const before = JSON.stringify(facts);
      // Empty or 0: unchanged.
      facts.organisation = message.organisation?.slice(0, MAX_NAME) || facts.organisation;
      facts.readers = message.readers || facts.readers;
      facts.keptDays = message.kept_days || facts.keptDays;
      facts.ring = asRing(message.ring) ?? facts.ring;
      if (message.shared_json) facts.shared = decodeShared(message.shared_json);
      if (JSON.stringify(facts) === before) return false;
      const { organisation, readers, keptDays, ring } = facts;
      file.write({ organisation, readers, keptDays, ring }).catch(() => undefined);
      return true;
    },
  };
  return facts;
}
