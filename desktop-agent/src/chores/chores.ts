import { Policy } from '@svc/contracts/policy';
import { AgentError } from '../agent-error.ts';
import { enroll, renew } from '../identity/enroll.ts';
import { readHostFacts } from './host-facts.ts';

/**
 * Work that needs much code for a moment: certificates, schemas, inventories. It runs in a child process that ends with it, so
 * that the resident agent does not carry that code for the rest of its life.
 */
export const CHORES = {
  enroll,
  renew,
  hostFacts: async (_input: Record<string, never>) => readHostFacts(),
  async parsePolicy(input: { json: string }): Promise<Policy> {
    let document: unknown;
    try {
      document = JSON.parse(input.json);
    } catch (cause) {
      throw new AgentError('bad_answer', 'The policy is no JSON document.', { cause });
    }
    const parsed = Policy.safeParse(document);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new AgentError('bad_answer', `The policy is not valid: ${issue?.path.join('.')}: ${issue?.message}.`);
  },
};

export type Chores = typeof CHORES;
