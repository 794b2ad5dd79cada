import { beforeEach, describe, expect, it } from 'vitest';
import { type Plan, type PlanConnector, type PlanLink, planTransition, UPDATE_EVERY_MS } from './plan.ts';
import { ASSUMED, MAY_BE_CLOSED } from './step.ts';

const NOW = Date.UTC(2026, 5, 2, 12);
const PAGER: PlanConnector = { id: 'pager', canUpdate: false, canAcknowledge: true, canResolve: true };
const TICKET: PlanConnector = { id: 'ticket', canUpdate: true, canAcknowledge: false, canResolve: true };

let plan: Plan;
let ids = 0;
beforeEach(() => {
  ids = 0;
  plan = {
    incident: { status: 'open', openSignalCount: 1 },
    links: new Map(),
    connectors: new Map([PAGER, TICKET].map((one) => [one.id, one])),
    decide: (untold) => new Map(untold.map((id) => [id, { dueMs: plan.nowMs }])),
    nowMs: NOW,
    newId: () => `m${++ids}`,
  };
});

const linkOf = (id: string): PlanLink => plan.links.get(id) as PlanLink;
const act = (kind: string, actor = 'system'): void => planTransition(plan, { kind, actor, detail: '' });
const told = (id: string): string[] => linkOf(id).rows.map(({ verb, state }) => `${verb} ${state}`);
/** What waits has been sent. */
function send(): void {
  for (const link of plan.links.values()) {
    for (const { verb } of link.rows.filter(({ state }) => state === 'waiting'))
      if (verb !== 'update' && verb !== 'acknowledge') link.state = verb === 'resolve' ? 'resolved' : 'open';
    link.rows = [];
  }
}

describe('an incident', () => {
  it('is told to every connector once, without a rule', () => {
    act('opened');
    act('signal_joined');
    act('severity_set');
    expect([told('pager'), told('ticket')]).toEqual([['open waiting'], ['open waiting']]);
  });

  it('that is held back by a delay or quiet hours goes as early as the rules say once it is worse, and never later', () => {
    const due =
      (ms: number): Plan['decide'] =>
      (untold) =>
        new Map(untold.map((id) => [id, { dueMs: plan.nowMs + ms }]));
    plan.decide = due(3_600_000);
    act('opened');
    expect(linkOf('pager').rows).toMatchObject([{ verb: 'open', dueMs: NOW + 3_600_000, isDelayed: true }]);
    for (const row of linkOf('pager').rows) row.change = 'none';
    plan.nowMs += 60_000;
    act('signal_joined');
    expect(linkOf('pager').rows).toMatchObject([{ dueMs: NOW + 3_600_000, change: 'none' }]);
    plan.decide = due(0);
    act('severity_set');
    expect(linkOf('pager').rows).toMatchObject([{ verb: 'open', dueMs: NOW + 60_000, change: 'changed' }]);
    // What is on its way is left alone.
    plan.decide = due(-60_000);
    for (const row of linkOf('pager').rows) row.isInFlight = true;
    act('severity_set');
    expect(linkOf('pager').rows).toMatchObject([{ dueMs: NOW + 60_000 }]);
  });

  it('that somebody acknowledges within a delay is told to nobody whom the rules let wait, until it opens again', () => {
    const tell = (given: Readonly<Record<string, number>>): void => {
      plan.decide = (untold) =>
        new Map(untold.flatMap((id) => (id in given ? [[id, { dueMs: plan.nowMs + (given[id] ?? 0) }] as const] : [])));
    };
    tell({ pager: 300_000 });
    act('opened');
    plan.incident.status = 'acknowledged';
    act('acknowledged', 'ann');
    expect(linkOf('pager')).toMatchObject({ state: 'dropped', isAcknowledged: false });
    expect(told('pager')).toEqual(['open dropped']);
    act('signal_joined');
    expect(told('pager'), 'a further delay begins for nobody').toEqual(['open dropped']);
    // Who is told at once is told what became worse, whoever has it.
    tell({ pager: 300_000, ticket: 0 });
    act('severity_set');
    expect([told('pager'), told('ticket')]).toEqual([['open dropped'], ['open waiting']]);
    plan.incident.status = 'open';
    act('reopened');
    expect(told('pager')).toEqual(['open dropped', 'open waiting']);
  });

  it('that was to be told at once is told as one that somebody has', () => {
    act('opened');
    plan.incident.status = 'acknowledged';
    act('acknowledged', 'ann');
    expect(told('pager')).toEqual(['open waiting', 'acknowledge waiting']);
  });

  it('that another one was merged into says so where it was told of', () => {
    act('opened');
    send();
    act('merged', 'ann');
    expect(told('ticket')).toEqual(['update waiting']);
  });

  it('that goes on never pages again, and updates at most once in five minutes', () => {
    act('opened');
    send();
    act('signal_joined');
    act('signal_joined');
    expect([told('pager'), told('ticket')]).toEqual([['update held_back'], ['update waiting']]);
    send();
    plan.nowMs += 1000;
    act('signal_joined');
    expect(linkOf('ticket').rows).toMatchObject([{ verb: 'update', dueMs: NOW + UPDATE_EVERY_MS }]);
    expect(told('pager')).toEqual([]);
  });

  it.each([
    ['', ['resolve dropped']],
    [ASSUMED, ['resolve dropped', 'reopen waiting']],
    [MAY_BE_CLOSED, ['resolve dropped', 'reopen waiting']],
  ])('that opens again before it was closed there is told again only where it may not be open (“%s”)', (note, expected) => {
    act('opened');
    send();
    linkOf('pager').note = note;
    plan.incident.status = 'resolved';
    act('resolved');
    plan.incident.status = 'open';
    act('reopened');
    expect(told('pager')).toEqual(expected);
  });

  it('that is resolved before it was sent is never sent, and is told anew when it opens again', () => {
    act('opened');
    plan.incident.status = 'resolved';
    act('resolved');
    expect([told('pager'), linkOf('pager').state]).toEqual([['open dropped'], 'dropped']);
    plan.incident.status = 'open';
    act('reopened');
    expect([told('pager'), linkOf('pager').state]).toEqual([['open dropped', 'open waiting'], 'waiting']);
  });

  it('whose open is on its way is resolved behind it', () => {
    act('opened');
    for (const row of linkOf('pager').rows) row.isInFlight = true;
    plan.incident.status = 'resolved';
    act('resolved');
    expect(told('pager')).toEqual(['open waiting', 'resolve waiting']);
    act('resolved');
    expect(told('pager')).toEqual(['open waiting', 'resolve waiting']);
  });

  it('that one connector resolved is resolved at all others and never there', () => {
    act('opened');
    send();
    plan.incident.status = 'resolved';
    act('resolved', 'connector/ticket');
    expect(told('pager')).toEqual(['resolve waiting']);
    expect(linkOf('ticket')).toMatchObject({ state: 'resolved', isOrigin: true, rows: [{ state: 'held_back' }] });
  });

  it('that one connector acknowledged is acknowledged at the others', () => {
    act('opened');
    send();
    act('acknowledged', 'connector/pager');
    expect([told('pager'), told('ticket')]).toEqual([['acknowledge held_back'], ['update waiting']]);
    act('acknowledged', 'ann');
    expect(told('pager')).toEqual(['acknowledge held_back', 'acknowledge waiting']);
  });

  it('that opens again while its resolve waits stays open there; once resolved it is re-opened', () => {
    act('opened');
    send();
    plan.incident.status = 'resolved';
    act('resolved');
    plan.incident.status = 'open';
    act('reopened');
    expect(told('pager')).toEqual(['resolve dropped']);
    plan.incident.status = 'resolved';
    act('resolved');
    send();
    plan.incident.status = 'open';
    act('reopened');
    act('signal_joined');
    expect(told('pager')).toEqual(['reopen waiting']);
    plan.incident.status = 'resolved';
    act('resolved');
    expect([told('pager'), linkOf('pager').state]).toEqual([['reopen dropped'], 'resolved']);
  });
});

describe('a rule', () => {
  it('runs again when the severity changes: who was not told is told then, once', () => {
    let isCritical = false;
    plan.decide = (untold) => new Map(isCritical && untold.includes('pager') ? [['pager', { dueMs: NOW }]] : []);
    act('opened');
    expect(plan.links.size).toBe(0);
    isCritical = true;
    act('severity_set');
    act('severity_set');
    expect([told('pager'), plan.links.size]).toEqual([['open waiting'], 1]);
  });

  it('with a delay never tells what recovers within it, and tells it when it fails again', () => {
    plan.decide = (untold) => new Map(untold.map((id) => [id, { dueMs: plan.nowMs + 300_000 }]));
    act('opened');
    expect(linkOf('pager').rows).toMatchObject([{ dueMs: NOW + 300_000, isDelayed: true }]);
    plan.incident.openSignalCount = 0;
    act('signal_recovered');
    expect([told('pager'), linkOf('pager').state]).toEqual([['open dropped'], 'dropped']);
    plan.incident.openSignalCount = 1;
    plan.nowMs += 60_000;
    act('signal_joined');
    expect(linkOf('pager').rows.at(-1)).toMatchObject({ verb: 'open', state: 'waiting', dueMs: NOW + 360_000 });
  });
});
