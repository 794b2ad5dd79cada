import { expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { hashText } from '#telemetry';
import { createTargets } from './targets.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other-tenant');
const DAY = 86_400_000;
const BOUNDS = { perAgent: 10, perTenant: 30 };

function makeTargets(bounds = BOUNDS) {
  const clock = { at: 20_000 * DAY + DAY / 2 };
  const notes: [TenantId, number][] = [];
  const targets = createTargets({
    clock: { now: () => clock.at },
    bounds,
    note: (tenant, { folded }) => void notes.push([tenant, folded]),
  });
  const label = (target: string, agent = 'a1', tenant = ACME) => targets.labelOf({ tenant, agent, target });
  const labels = (count: number, agent = 'a1', tenant = ACME) =>
    new Set(Array.from({ length: count }, (_, i) => label(`${agent}-${i}.example`, agent, tenant)));
  return { clock, notes, label, labels };
}

test('ten times the targets of an agent make ten series targets and "other"; those it had stay, and other agents have theirs', () => {
  const { label, labels, notes } = makeTargets();
  expect([...labels(100)]).toEqual([...Array.from({ length: 10 }, (_, i) => `a1-${i}.example`), 'other']);
  expect(notes).toHaveLength(90);
  expect(label('a1-3.example')).toBe('a1-3.example');
  expect(label('')).toBe('');
  expect(label('crm.example', 'a2')).toBe('crm.example');
});

test('ten times the targets of a tenant by many agents: its own known targets and other tenants keep theirs', () => {
  const { label, labels } = makeTargets();
  for (let agent = 0; agent < 30; agent++) labels(10, `agent-${agent}`);
  expect(label('new.example', 'late')).toBe('other');
  expect(label('agent-0-1.example', 'late')).toBe('agent-0-1.example');
  expect(labels(10, 'a1', OTHER)).not.toContain('other');
});

test('a new day begins anew; a clock that goes an hour back over midnight and forth again changes nothing', () => {
  const { clock, label, labels } = makeTargets();
  labels(100);
  clock.at = 20_001 * DAY + 60_000;
  expect(label('new.example')).toBe('new.example');
  expect(labels(100)).toContain('other');
  clock.at -= 3_600_000;
  expect(label('newer.example')).toBe('other');
  clock.at += 3_600_000;
  expect(label('newer.example')).toBe('other');
  expect(label('new.example')).toBe('new.example');
});

test('what is remembered is bounded: no tenant pushes another one out', () => {
  const { label } = makeTargets({ perAgent: 1, perTenant: 5 });
  expect(label('first.example', 'a1', OTHER)).toBe('first.example');
  for (let agent = 0; agent < 250_000; agent++) label(`t${agent % 5}.example`, `agent-${agent}`);
  expect(label('second.example', 'a1', OTHER)).toBe('other');
});

test('targets that a device chose by half of their hash are told apart', () => {
  const seen = new Map<number, string>();
  const twins = Array.from({ length: 300_000 }, (_, i) => `t${i}.example`).flatMap((target): [string, string][] => {
    const { low } = hashText(target);
    const first = seen.get(low);
    seen.set(low, target);
    return first === undefined ? [] : [[first, target]];
  });
  const [first = '', second = ''] = twins[0] ?? [];
  expect(first).not.toBe('');
  const { label } = makeTargets({ perAgent: 1, perTenant: 5 });
  expect(label(first)).toBe(first);
  expect(label(second)).toBe('other');
});
