import type { Policy } from '@svc/contracts/policy';
import { AgentError } from '../agent-error.ts';
import { withSent } from '../identity/attempt.ts';
import type { EnrollInput, RenewInput } from '../identity/enroll.ts';

type Nothing = Record<string, never>;

/**
 * Work that needs much code for a moment: certificates, schemas, inventories. It runs in a child process that ends with it, so
 * that the resident agent does not carry that code for the rest of its life. Each loads its own code alone.
 */
export const CHORES = {
  enroll: async (input: EnrollInput) =>
    await withSent(async (note) => (await import('../identity/enroll.ts')).enroll(input, note)),
  renew: async (input: RenewInput) => await withSent(async (note) => (await import('../identity/enroll.ts')).renew(input, note)),
  hostFacts: async (_input: Nothing) => (await import('./host-facts.ts')).readHostFacts(),
  readRoots: async (_input: Nothing) => (await import('@svc/probes/trust')).readRoots(),
  async parsePolicy(input: { json: string }): Promise<Policy> {
    const { PolicyFromServer } = await import('@svc/contracts/policy');
    let document: unknown;
    try {
      document = JSON.parse(input.json);
    } catch (cause) {
      throw new AgentError('bad_answer', 'The policy is no JSON document.', { cause });
    }
    const parsed = PolicyFromServer.safeParse(document);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new AgentError('bad_answer', `The policy is not valid: ${issue?.path.join('.')}: ${issue?.message}.`);
  },
};

export type Chores = typeof CHORES;
