import type { PlannedTest } from '@svc/contracts/tests/plan';
import type { PlanPart } from '@svc/contracts/tests/runner-messages';
import { createPlanDiff } from '../domain/plan-diff.ts';
import { type PlanRecipient, planParts } from './plan-parts.ts';

/** Part after part: the loop is others' between them. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Gives a runner its plan, whole at first and then what changed, one after the other. What changes while a plan is on its way is sent after it, in one.
 * `send` resolves when the runner's window has taken the part, and rejects when its stream has ended.
 */
export function createPlanStream(to: PlanRecipient, send: (part: PlanPart) => Promise<void>) {
  const diff = createPlanDiff();
  let next: readonly PlannedTest[] | undefined;
  let revision = 0;
  let isSending = false;

  async function sendAll(): Promise<void> {
    for (let plan = next; plan; plan = next) {
      next = undefined;
      const change = diff.next(plan);
      const anew = revision === 0;
      if (!anew && change.put.length === 0 && change.remove.length === 0) continue;
      revision += 1;
      for (const part of planParts(change, { to, revision, anew })) {
        await send(part);
        await nextTurn();
      }
    }
  }

  return (plan: readonly PlannedTest[]): void => {
    next = plan;
    if (isSending) return;
    isSending = true;
    sendAll()
      // Its stream has ended, and everything with it.
      .catch(() => {})
      .finally(() => {
        isSending = false;
      });
  };
}
