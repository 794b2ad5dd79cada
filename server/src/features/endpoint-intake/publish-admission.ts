import type { AgentStream } from '#edge';
import type { AgentIdentity } from '#kernel';
import type { PublishBudget } from './publish-budget.ts';

/** A stream that is not read for so long is sent away: its device would give up after a minute, and come back at once. */
const MAX_HELD_MS = 20_000;

interface AdmissionDeps {
  agent: AgentIdentity;
  budget: PublishBudget;
  /** Takes a batch in and gives the number of its results; never throws. */
  take(bytes: Buffer): number;
  /** Whether nothing else keeps the stream from being read. */
  mayRead(): boolean;
  onOverdue(): void;
}

/** Hands in the batches of one stream when its tenant may and its device has not sent too much; until then the stream is paused. */
export function createAdmission(stream: Pick<AgentStream, 'pause' | 'resume'>, deps: AdmissionDeps) {
  const { agent, budget } = deps;
  const arrived: Buffer[] = [];
  let leaveLine: (() => void) | undefined;
  let rest: NodeJS.Timeout | undefined;
  let overdue: NodeJS.Timeout | undefined;
  let ended = false;

  const isHeld = (): boolean => leaveLine !== undefined || rest !== undefined;

  function handIn(bytes: Buffer): void {
    const restMs = budget.spend(agent, { results: deps.take(bytes), bytes: bytes.length });
    if (restMs <= 0 || ended) return;
    rest = setTimeout(() => {
      rest = undefined;
      goOn();
    }, restMs);
  }

  function hold(): void {
    stream.pause();
    overdue ??= setTimeout(deps.onOverdue, MAX_HELD_MS);
  }

  function goOn(): void {
    while (arrived.length > 0 && !isHeld() && !ended) {
      if (budget.isOpen(agent.tenant)) handIn(arrived.shift() as Buffer);
      else
        leaveLine = budget.wait(agent.tenant, () => {
          leaveLine = undefined;
          handIn(arrived.shift() as Buffer);
          goOn();
        });
    }
    if (ended) return;
    if (isHeld()) {
      hold();
      return;
    }
    clearTimeout(overdue);
    overdue = undefined;
    if (deps.mayRead()) stream.resume();
  }

  return {
    offer(bytes: Buffer): void {
      if (ended) return;
      arrived.push(bytes);
      goOn();
    },
    isHeld,
    /** What was not handed in is not acknowledged either: its device keeps it. */
    end(): void {
      ended = true;
      arrived.length = 0;
      leaveLine?.();
      clearTimeout(rest);
      clearTimeout(overdue);
    },
  };
}
