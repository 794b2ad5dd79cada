import { sha256 } from '#crypto';

export type Ring = 'canary' | 'early' | 'main';

// Of a hundred agents 5 are canary and 20 early (docs/contract/tenants-and-agents.md).
const CANARY_BELOW = 5;
const EARLY_BELOW = 25;

/** The ring of an agent, fixed by a hash of its id. */
export function ringOf(agentId: string): Ring {
  const bucket = sha256(agentId).readUInt32BE(0) % 100;
  if (bucket < CANARY_BELOW) return 'canary';
  return bucket < EARLY_BELOW ? 'early' : 'main';
}
