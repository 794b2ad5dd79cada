import { expect, test } from 'vitest';
import { FAMILIES, scenariosOf } from './corpus.ts';
import { MINUTE_MS } from './scenario.ts';
import { runsOf } from './tell-tests.ts';
import { trafficOf, viewsOf } from './tell-traffic.ts';

const scenarios = scenariosOf(1);
const ONSET = Date.UTC(2026, 10, 26, 12);
const around = { onsetMs: ONSET, fromMs: ONSET - 4 * MINUTE_MS, toMs: ONSET + 4 * MINUTE_MS };

test('there are at least 60 scenarios, 20 of them without a change or layer, each with ten decoys at least', () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  expect(scenarios.filter(({ causes }) => causes.length === 0).length).toBeGreaterThanOrEqual(20);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
  for (const { name, changes, causes } of scenarios) {
    const labels = changes.map(({ label }) => label);
    const culprits = causes.flatMap((cause) => (cause.kind === 'change' ? [cause.label] : []));
    expect(new Set(labels).size, name).toBe(labels.length);
    expect(labels, name).toEqual(expect.arrayContaining(culprits));
    expect(changes.length - culprits.length, name).toBeGreaterThanOrEqual(10);
  }
});

test('a seed gives the same scenarios and signals each time, and another one others', () => {
  expect(scenariosOf(1)).toEqual(scenarios);
  expect(scenariosOf(2).map(({ estate }) => estate.host)).not.toEqual(scenarios.map(({ estate }) => estate.host));
  const [first] = scenarios;
  if (!first) throw new Error('no scenario');
  expect(trafficOf(first, around).spans.length).toBeGreaterThan(100);
  expect(JSON.stringify(trafficOf(first, around).spans)).toBe(JSON.stringify(trafficOf(first, around).spans));
  // Cut anywhere, the parts are the whole.
  const cut = ONSET - 90_000;
  const parts = [
    { ...around, toMs: cut },
    { ...around, fromMs: cut },
  ];
  expect(parts.flatMap((part) => runsOf(first, part))).toEqual(runsOf(first, around));
  expect(parts.flatMap((part) => trafficOf(first, part).spans)).toEqual(trafficOf(first, around).spans);
});

test.each(FAMILIES.map(({ name }) => name))(
  '%s: all is well before the harm, and what it asks for is hurt behind it',
  (family) => {
    const of = scenarios.filter((one) => one.family === family && (one.asks === 'tests' || one.asks === 'rum'));
    for (const scenario of of) {
      const before = runsOf(scenario, { ...around, toMs: ONSET }).filter(({ success }) => !success).length;
      expect(before, scenario.name).toBeLessThanOrEqual(2);
      if (scenario.asks === 'tests')
        expect(
          runsOf(scenario, { ...around, fromMs: ONSET }).filter(({ success }) => !success).length,
          scenario.name,
        ).toBeGreaterThan(2);
      const views = viewsOf(scenario, { ...around, fromMs: ONSET + MINUTE_MS });
      const hurt = views.filter(({ errors, failedRequests, lcpMs }) => errors > 0 || failedRequests > 0 || lcpMs >= 4000).length;
      if (scenario.asks === 'rum') expect(hurt / views.length, scenario.name).toBeGreaterThan(0.2);
    }
  },
);
