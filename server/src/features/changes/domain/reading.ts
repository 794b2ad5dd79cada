import type { ChangeDelivery } from '@svc/contracts/changes/delivery';

/** What a verified body comes to. */
export interface Reading extends Pick<ChangeDelivery, 'event' | 'outcome' | 'changes' | 'dropped'> {
  /** Entries that were taken, where several of them are one change. */
  taken?: number;
}

export interface ReadTools {
  nowMs: number;
  /** Short and the same for the same text, on every replica. */
  hash: (text: string) => string;
}

export const nothing = (event: string, outcome: ChangeDelivery['outcome']): Reading => ({
  event,
  outcome,
  changes: [],
  dropped: [],
});
