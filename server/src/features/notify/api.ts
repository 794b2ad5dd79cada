import { IncidentNotices, MESSAGE_STATES, NotifyPulse, OfMessage, OutboxList, OutboxQuery } from '@svc/contracts/notify/outbox';
import { z } from 'zod';
import { listLimitQuery, permitted, router } from '#api';
import { createConnectorsProcedures } from './api-connectors.ts';
import type { ConnectorsDeps } from './connectors/change.ts';
import { noticesOf } from './links/of-incident.ts';
import { giveUpMessage, retryMessage } from './outbox/act.ts';
import { listMessages, readPulse } from './outbox/list.ts';

const tags = ['notifications'];
/** In a query string one value arrives as text, several as a list. */
const oneOrMore = <T extends z.ZodType>(one: T) => z.union([one, z.array(one).max(20)]).optional();
const OutboxInput = OutboxQuery.extend({ state: oneOrMore(z.enum(MESSAGE_STATES)) });
const OfIncident = z.object({ id: z.uuid() });

const outbox = (deps: ConnectorsDeps) =>
  router({
    list: permitted('incident.read', {
      rest: {
        ...{ method: 'GET', path: '/notify/outbox', tags, summary: 'What is said to connectors, the newest first' },
        query: OutboxInput.extend({ limit: listLimitQuery }),
      },
    })
      .input(OutboxInput)
      .output(OutboxList)
      .query(async ({ ctx, input }) => {
        const state = input.state === undefined ? undefined : [input.state].flat();
        return await listMessages(deps, ctx, { ...input, ...(state ? { state } : {}) } as z.infer<typeof OutboxQuery>);
      }),

    retry: permitted('settings.write', {
      rest: {
        ...{ method: 'POST', path: '/notify/outbox/:id/retry', status: 204, tags, errors: ['not_found', 'conflict'] },
        summary: 'Send a message now that waits, is dead or was given up',
      },
    })
      .input(OfMessage)
      .output(z.void())
      .mutation(async ({ ctx, input }) => await retryMessage(deps, ctx, input.id)),

    giveUp: permitted('settings.write', {
      rest: {
        ...{ method: 'POST', path: '/notify/outbox/:id/give-up', status: 204, tags, errors: ['not_found', 'conflict'] },
        summary: 'Never send a message that waits',
      },
    })
      .input(OfMessage)
      .output(z.void())
      .mutation(async ({ ctx, input }) => await giveUpMessage(deps, ctx, input.id)),
  });

/** `notify.*` over tRPC, /v1/notify and /v1/incidents/{id}/notices over REST. */
export const createNotifyProcedures = (deps: ConnectorsDeps) =>
  router({
    connectors: createConnectorsProcedures(deps),
    outbox: outbox(deps),

    /** What the navigation counts. */
    pulse: permitted('incident.read')
      .output(NotifyPulse)
      .query(async ({ ctx }) => await readPulse(deps, ctx)),

    ofIncident: permitted('incident.read', {
      rest: {
        ...{ method: 'GET', path: '/incidents/:id/notices', tags, errors: ['not_found'] },
        summary: 'Who was told of an incident, and what became of it there',
      },
    })
      .input(OfIncident)
      .output(IncidentNotices)
      .query(async ({ ctx, input }) => ({ items: await noticesOf(deps, ctx, input.id) })),
  });
