import {
  AssignIncident,
  CommentIncident,
  IncidentPulse,
  IncidentSettings,
  MergeIncident,
  OfIncident,
  RemoveSignal,
  SetIncidentSeverity,
} from '@svc/contracts/incidents/acts';
import {
  INCIDENT_STATES,
  Incident,
  IncidentEntry,
  IncidentList,
  IncidentListQuery,
  IncidentView,
} from '@svc/contracts/incidents/incident';
import { IncidentDevices, IncidentDevicesQuery } from '@svc/contracts/incidents/incident-devices';
import { PLANES, SEVERITIES } from '@svc/contracts/incidents/signal';
import { z } from 'zod';
import { listLimitQuery, oneOrMore, permitted, router } from '#api';
import { acknowledge, assign, comment, reopenIncident, resolve, setSeverity } from './acts.ts';
import type { IncidentsDeps } from './context.ts';
import { countDevices } from './read/devices.ts';
import { listIncidents, readPulse } from './read/list.ts';
import { viewIncident } from './read/view.ts';
import { changeSettings, readSettings } from './settings.ts';
import { mergeIncidents, removeSignal } from './sort-out.ts';

const tags = ['incidents'];
const ListInput = IncidentListQuery.extend({
  status: oneOrMore(z.enum(INCIDENT_STATES)),
  severity: oneOrMore(z.enum(SEVERITIES)),
  plane: oneOrMore(z.enum(PLANES)),
});
const errors = ['not_found', 'conflict'] as const;

const reading = (deps: IncidentsDeps) => ({
  list: permitted('incident.read', {
    rest: {
      ...{ method: 'GET', path: '/incidents', tags, summary: 'Incidents, the open ones first' },
      query: ListInput.extend({ limit: listLimitQuery }),
    },
  })
    .input(ListInput)
    .output(IncidentList)
    .query(async ({ ctx, input }) => await listIncidents(deps, ctx, input)),

  get: permitted('incident.read', {
    rest: {
      ...{ method: 'GET', path: '/incidents/:id', tags, summary: 'One incident: its signals, its trail, what it affects' },
      errors: ['not_found'],
    },
  })
    .input(OfIncident)
    .output(IncidentView)
    .query(async ({ ctx, input }) => await viewIncident(deps, ctx, input.id)),

  /** How many devices were slow where it hurts, over time. */
  devices: permitted('incident.read')
    .input(IncidentDevicesQuery)
    .output(IncidentDevices)
    .query(async ({ ctx, input }) => await countDevices(deps, ctx, input)),

  /** Whom an incident can be given to. */
  people: permitted('incident.write')
    .output(z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) }))
    .query(async ({ ctx }) => ({ items: await deps.listPeople(ctx.principal.tenant) })),

  /** Asked every second or two by each open page. */
  pulse: permitted('incident.read')
    .output(IncidentPulse)
    .query(async ({ ctx }) => await deps.relational.withTenantSql(ctx.principal.tenant, readPulse)),
});

const acting = (deps: IncidentsDeps) => ({
  acknowledge: permitted('incident.write', {
    rest: { method: 'POST', path: '/incidents/:id/acknowledge', tags, summary: 'Acknowledge an incident', errors },
  })
    .input(OfIncident)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await acknowledge(deps, ctx, input)),

  resolve: permitted('incident.write', {
    rest: { method: 'POST', path: '/incidents/:id/resolve', tags, summary: 'Resolve an incident', errors },
  })
    .input(OfIncident)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await resolve(deps, ctx, input)),

  reopen: permitted('incident.write', {
    rest: { method: 'POST', path: '/incidents/:id/reopen', tags, summary: 'Open a resolved incident again', errors },
  })
    .input(OfIncident)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await reopenIncident(deps, ctx, input)),

  comment: permitted('incident.write', {
    rest: { method: 'POST', path: '/incidents/:id/comments', status: 201, tags, summary: 'Comment on an incident', errors },
  })
    .input(CommentIncident)
    .output(IncidentEntry)
    .mutation(async ({ ctx, input }) => await comment(deps, ctx, input)),

  assign: permitted('incident.write', {
    rest: { method: 'PUT', path: '/incidents/:id/assignee', tags, summary: 'Give an incident to somebody, or to nobody', errors },
  })
    .input(AssignIncident)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await assign(deps, ctx, input)),

  setSeverity: permitted('incident.write', {
    rest: {
      method: 'PUT',
      path: '/incidents/:id/severity',
      tags,
      summary: 'Set the severity; null: that of its signals',
      errors,
    },
  })
    .input(SetIncidentSeverity)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await setSeverity(deps, ctx, input)),
});

const sorting = (deps: IncidentsDeps) => ({
  merge: permitted('incident.write', {
    rest: {
      method: 'POST',
      path: '/incidents/:id/merge',
      tags,
      summary: 'Put the signals of an incident into another one',
      errors,
    },
  })
    .input(MergeIncident)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await mergeIncidents(deps, ctx, input)),

  removeSignal: permitted('incident.write', {
    rest: { method: 'DELETE', path: '/incidents/:id/signals/:signal', tags, summary: 'Take a signal out of an incident', errors },
  })
    .input(RemoveSignal)
    .output(Incident)
    .mutation(async ({ ctx, input }) => await removeSignal(deps, ctx, input)),

  settings: router({
    get: permitted('incident.read', {
      rest: { method: 'GET', path: '/incident-settings', tags, summary: 'What the tenant chose about incidents' },
    })
      .output(IncidentSettings)
      .query(async ({ ctx }) => await deps.relational.withTenantSql(ctx.principal.tenant, readSettings)),
    set: permitted('settings.write', {
      rest: { method: 'PUT', path: '/incident-settings', tags, summary: 'Change what the tenant chose about incidents' },
    })
      .input(IncidentSettings)
      .output(IncidentSettings)
      .mutation(async ({ ctx, input }) => await changeSettings(deps, ctx, input)),
  }),
});

/** `incidents.*` over tRPC, /v1/incidents over REST. */
export const createIncidentsProcedures = (deps: IncidentsDeps) => router({ ...reading(deps), ...acting(deps), ...sorting(deps) });
