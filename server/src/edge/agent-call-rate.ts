import { AppError, type TenantId } from '#kernel';

/** A device opens two streams when it connects, and connects again at most every half second at first, then ever less often. */
const BURST = 30;
const PER_SECOND = 0.5;
const FORGET_MS = (BURST / PER_SECOND) * 1000;

/** How often each agent opens streams: one that comes again and again at once costs handshakes and look-ups that others wait for. */
export function createAgentCallRate(nowMs: () => number) {
  const agents = new Map<string, { left: number; atMs: number }>();
  let sweptMs = nowMs();

  function dropForgotten(now: number): void {
    if (now - sweptMs < FORGET_MS) return;
    sweptMs = now;
    for (const [key, { atMs }] of agents) if (now - atMs > FORGET_MS) agents.delete(key);
  }

  /** Counts a call; `rate_limited` for one too many, which tells when the next one is taken. */
  return ({ tenant, agentId }: { tenant: TenantId; agentId: string }): void => {
    const now = nowMs();
    dropForgotten(now);
    const key = `${tenant}/${agentId}`;
    const agent = agents.get(key) ?? { left: BURST, atMs: now };
    agents.set(key, agent);
    agent.left = Math.min(BURST, agent.left + ((now - agent.atMs) / 1000) * PER_SECOND);
    agent.atMs = now;
    if (agent.left < 1)
      throw new AppError('rate_limited', 'This agent opens too many streams.', {
        retryAfterSeconds: Math.ceil((1 - agent.left) / PER_SECOND) + 5,
      });
    agent.left -= 1;
  };
}
