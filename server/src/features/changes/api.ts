import {
  Change,
  ChangeFacets,
  ChangeList,
  ChangeListQuery,
  ChangeMarks,
  ChangeMarksQuery,
  IncidentChanges,
  MarkChange,
} from '@svc/contracts/changes/change';
import { CHANGE_KINDS } from '@svc/contracts/changes/kinds';
import { z } from 'zod';
import { listLimitQuery, oneOrMore, permitted, router } from '#api';
import { createWebhooksProcedures } from './api-webhooks.ts';
import type { ChangesDeps } from './context.ts';
import { candidatesOf } from './incident/candidates.ts';
import { readMarks } from './incident/marks.ts';
import { markChange } from './incident/verdicts.ts';
import { listChanges, readChange, readFacets } from './store/list.ts';
import { presentChange } from './store/rows.ts';
import type { WebhooksDeps } from './webhooks/webhooks.ts';

const tags = ['changes'];
const ListInput = ChangeListQuery.extend({ kind: oneOrMore(z.enum(CHANGE_KINDS)) });
const OfChange = z.object({ id: z.uuid() });

const reading = (deps: ChangesDeps) => ({
  list: permitted('change.read', {
    rest: {
      ...{ method: 'GET', path: '/changes', tags, summary: 'The timeline of changes, the newest first' },
      query: ListInput.extend({ limit: listLimitQuery, untargeted: z.stringbool().optional() }),
    },
  })
    .input(ListInput)
    .output(ChangeList)
    .query(async ({ ctx, input }) => await listChanges(deps, ctx, input)),

  get: permitted('change.read', {
    rest: { method: 'GET', path: '/changes/:id', tags, summary: 'One change', errors: ['not_found'] },
  })
    .input(OfChange)
    .output(Change)
    .query(async ({ ctx, input }) => {
      const { tenant } = ctx.principal;
      return presentChange(await deps.relational.withTenantSql(tenant, (sql) => readChange(sql, input.id)), tenant);
    }),

  /** What the timeline can be narrowed by. */
  facets: permitted('change.read')
    .output(ChangeFacets)
    .query(async ({ ctx }) => await deps.relational.withTenantSql(ctx.principal.tenant, readFacets)),

  /** What charts of these targets mark. */
  marks: permitted('change.read')
    .input(ChangeMarksQuery)
    .output(ChangeMarks)
    .query(async ({ ctx, input }) => await readMarks(deps.relational, ctx.principal.tenant, input)),
});

const ofIncidents = (deps: ChangesDeps) => ({
  ofIncident: permitted('incident.read', {
    rest: {
      ...{ method: 'GET', path: '/incidents/:id/changes', tags, errors: ['not_found'] },
      summary: 'Changes that may have caused an incident, the most likely first',
    },
  })
    .input(OfChange)
    .output(IncidentChanges)
    .query(async ({ ctx, input }) => await candidatesOf(deps, ctx.principal.tenant, input.id)),

  judge: permitted('incident.write', {
    rest: {
      ...{ method: 'PUT', path: '/incidents/:id/changes/:change/verdict', status: 204, tags, errors: ['not_found', 'conflict'] },
      summary: 'Say that a change caused an incident or did not; null takes it back',
    },
  })
    .input(MarkChange)
    .output(z.void())
    .mutation(async ({ ctx, input }) => await markChange(deps, ctx, input)),
});

/** `changes.*` over tRPC; /v1/changes, /v1/incidents/{id}/changes and /v1/change-webhooks over REST. */
export const createChangesProcedures = (deps: ChangesDeps, webhooks: WebhooksDeps) =>
  router({ ...reading(deps), ...ofIncidents(deps), webhooks: createWebhooksProcedures(webhooks) });
