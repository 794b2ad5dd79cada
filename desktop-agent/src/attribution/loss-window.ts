import { LOSS_WINDOW_PROBES } from '@svc/contracts/verdict';
import type { Loss } from './readings.ts';

/** Loss over the newest probes of one thing; rounds are kept whole, the oldest goes once the newer ones fill the window. */
export interface LossWindow {
  add(round: Loss): void;
  /** Over all that is kept; nothing sent yet reads 0 of 0. */
  total(): Loss;
  clear(): void;
}

export function createLossWindow(size = LOSS_WINDOW_PROBES): LossWindow {
  let rounds: Loss[] = [];
  const sum = (): Loss => ({
    sent: rounds.reduce((n, round) => n + round.sent, 0),
    lost: rounds.reduce((n, round) => n + round.lost, 0),
    ...(rounds.filter(({ lost }) => lost > 0).length === 1 ? { atOnce: true } : {}),
  });
  return {
    add(round) {
      if (round.sent <= 0) return;
      rounds.push(round);
      while (rounds.length > 1 && sum().sent - (rounds[0]?.sent ?? 0) >= size) rounds.shift();
    },
    total: sum,
    clear: () => {
      rounds = [];
    },
  };
}
