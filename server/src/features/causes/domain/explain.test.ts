import { expect, it } from 'vitest';
import { explain } from './explain.ts';
import { badWords, change, edge, outcome, service, situation } from './test-facts.ts';

const { facts: _none, ...where } = situation([]);

it('cites each fact by an id that is there, the first cause’s first, and says what it could not see', () => {
  const told = explain(where, [
    { plane: 'tests', facts: [outcome()], notMeasured: [] },
    { plane: 'otlp', facts: [service({ errors: 300 })], notMeasured: ['No spans of mail.example came in this time.'] },
    { plane: 'changes', facts: [change()], notMeasured: [] },
  ]);
  expect(told.explanation).toContain('Most likely the deploy 548 “Deploy checkout 4.18.0”, 4 minutes before the harm began.');
  const ids = new Set(told.evidence.map(({ id }) => id));
  expect(ids.size).toBe(3);
  for (const { parts } of told.hypotheses) for (const { evidence } of parts) expect(ids).toContain(evidence);
  expect(told.evidence[0]).toMatchObject({ id: 'E1', plane: 'changes', link: { page: 'change', id: 'c1' } });
  expect(told.not_measured.map(({ plane }) => plane)).toEqual(['otlp', 'endpoint', 'logs', 'rum']);
});

it('says that it does not know, and what came nearest', () => {
  const told = explain(where, [{ plane: 'tests', facts: [outcome({ fault: 'timeout' })], notMeasured: [] }]);
  expect(told).toMatchObject({ level: 'none', confidence: 0 });
  expect(told.explanation).toMatch(
    /^Nothing that was measured explains it\. The nearest is the network on the way to shop\.example/,
  );
});

it('is bounded, however many facts there are', () => {
  const facts = Array.from({ length: 500 }, (_, n) => outcome({ testId: `t${n}`, testName: badWords(n) }));
  const told = explain(where, [{ plane: 'tests', facts, notMeasured: [] }]);
  expect(told.evidence).toHaveLength(60);
  expect(JSON.stringify(told).length).toBeLessThan(60_000);
});

it('says nothing of a time before of which no calls are known', () => {
  const unknown = { usualCallsPerMinute: 0, usualErrorRatio: 0, usualP95Ms: null };
  const facts = [service({ ...unknown, p95Ms: 2000 }), edge({ ...unknown, errors: 300 })];
  const told = explain(where, [
    { plane: 'tests', facts: [outcome()], notMeasured: [] },
    { plane: 'otlp', facts, notMeasured: [] },
    { plane: 'changes', facts: [change()], notMeasured: [] },
  ]);
  expect(told.evidence.filter(({ plane }) => plane === 'otlp').map(({ sentence }) => sentence)).toEqual([
    'shop to payments: 50 % of 600 calls fail, none known before.',
    'shop: 900 calls, none known before, 95 % within 2.0 s.',
  ]);
  expect(JSON.stringify(told)).not.toContain('as before');
});
