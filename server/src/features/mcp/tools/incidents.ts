import { INCIDENT_STATES } from '@svc/contracts/incidents/incident';
import { PLANES, SEVERITIES, SIGNAL_KINDS } from '@svc/contracts/incidents/kinds';
import { z } from 'zod';
import { id, paged, type Tool, window } from './tool.ts';

export const incidentTools: readonly Tool[] = [
  {
    name: 'list_incidents',
    title: 'Incidents',
    description:
      'Lists incidents, the open ones first: what is broken, where, since when, how severe. Start here when somebody asks what is wrong.',
    procedure: 'incidents.list',
    input: z.strictObject({
      search: z.string().max(200).optional().describe('Part of the title or the target'),
      status: z.array(z.enum(INCIDENT_STATES)).max(3).optional(),
      severity: z.array(z.enum(SEVERITIES)).max(3).optional(),
      plane: z.array(z.enum(PLANES)).max(4).optional().describe('Which part of the product saw it'),
      target: z.string().max(253).optional().describe('Host, service or address that is hurt'),
      site: z.string().max(128).optional(),
      ...window,
      sort: z.enum(['open_first', 'newest', 'last_seen', 'severity']).default('open_first'),
      ...paged,
    }),
  },
  {
    name: 'get_incident',
    title: 'One incident',
    description: 'One incident: its signals, what it affects, who did what about it, incidents that may belong to it.',
    procedure: 'incidents.get',
    input: z.strictObject({ id: id('an incident') }),
  },
  {
    name: 'get_root_cause',
    title: 'Root cause with its evidence',
    description:
      'Why an incident probably is: hypotheses by a documented score, what speaks for and against each, evidence (E1, E2, ...) of tests, devices, services, logs, users and changes, and what nobody measured. Worked out by rules, without a model. "unknown" is an answer.',
    procedure: 'causes.get',
    input: z.strictObject({ id: id('an incident') }),
  },
  {
    name: 'list_incident_changes',
    title: 'Changes that may have caused an incident',
    description:
      'Recorded changes (deployments, configuration, routes ...) near an incident in time and place, the most likely cause first, each score taken apart.',
    procedure: 'changes.ofIncident',
    input: z.strictObject({ id: id('an incident') }),
  },
  {
    name: 'list_signals',
    title: 'Signals',
    description:
      'What tests, devices, services and real users raised, the newest first: the single alarms that incidents are made of.',
    procedure: 'signals.list',
    input: z.strictObject({
      plane: z.array(z.enum(PLANES)).max(4).optional(),
      kind: z.array(z.enum(SIGNAL_KINDS)).max(7).optional(),
      incident: z.uuid().optional().describe('Only those of this incident'),
      ...window,
      ...paged,
    }),
    toInput: (input) => ({ ...input, order: 'newest' }),
  },
];
