import { PLANES, SIGNAL_KINDS } from '@svc/contracts/incidents/signal';
import { SignalList, SignalListQuery } from '@svc/contracts/incidents/signal-list';
import { z } from 'zod';
import { listLimitQuery, oneOrMore, permitted, router } from '#api';
import type { IncidentsDeps } from './context.ts';
import { listSignals } from './read/signals.ts';

const ListInput = SignalListQuery.extend({
  plane: oneOrMore(z.enum(PLANES)),
  kind: oneOrMore(z.enum(SIGNAL_KINDS)),
});

/** `signals.*` over tRPC, /v1/signals over REST. */
export const createSignalsProcedures = (deps: IncidentsDeps) =>
  router({
    list: permitted('events.read', {
      rest: {
        ...{ method: 'GET', path: '/signals', tags: ['incidents'] },
        summary: 'The feed of signals over all planes; ask again from its cursor',
        query: ListInput.extend({ limit: listLimitQuery }),
      },
    })
      .input(ListInput)
      .output(SignalList)
      .query(async ({ ctx, input }) => await listSignals(deps, ctx, input)),
  });
