import type { OneProposal } from '@svc/contracts/proposals/proposal';
import { useState } from 'react';

/** Of the proposals of one request, which one is in the form, and which come after it. */
export interface Taken {
  current: OneProposal | undefined;
  rest: readonly OneProposal[];
  /** How many of the request were created. */
  made: number;
  take: (current: OneProposal, rest: readonly OneProposal[]) => void;
  /** One was created: the next is in the form, unless there is none. */
  takeNext: () => boolean;
}

export function useTaken(onTake: (proposal: OneProposal) => void): Taken {
  const [state, set] = useState<Pick<Taken, 'current' | 'rest' | 'made'>>({ current: undefined, rest: [], made: 0 });
  const put = (current: OneProposal, rest: readonly OneProposal[], made: number): void => {
    onTake(current);
    set({ current, rest, made });
  };
  return {
    ...state,
    take: (current, rest) => put(current, rest, state.made),
    takeNext: () => {
      const [next, ...rest] = state.rest;
      if (next) put(next, rest, state.made + 1);
      return next !== undefined;
    },
  };
}
