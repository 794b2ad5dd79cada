import type { EvidenceFact } from '@svc/contracts/causes/facts';
import type { HypothesisKind } from '@svc/contracts/causes/root-cause';
import { describe, expect, it } from 'vitest';
import { NAMED_FROM, rankCauses, scoreOf } from './rank-causes.ts';
import { type Situation, speaksAgainst, speaksFor } from './situation.ts';
import {
  atMinute,
  certificate,
  change,
  edge,
  line,
  outcome,
  passing,
  phase,
  service,
  share,
  situation,
  users,
} from './test-facts.ts';

type Case = readonly [
  words: string,
  facts: readonly EvidenceFact[],
  kind: HypothesisKind,
  subject?: string,
  over?: Partial<Situation>,
];

const badService = service({ errors: 300 });
const slowDatabase = edge({ target: 'orders-db', edgeKind: 'database', p95Ms: 900 });
const badPayments = edge({ errors: 300, atMs: atMinute(0) });
const decoys = [
  change({ changeId: 'old', atMs: atMinute(-1300), recency: 0.1, score: 0.64 }),
  change({ changeId: 'after', atMs: atMinute(12), recency: 0, score: 0.6 }),
  change({ changeId: 'elsewhere', atMs: atMinute(-3), target: 'mail.example', topology: 0 }),
];

const CASES: readonly Case[] = [
  ['a bad deploy of what is hurt', [outcome(), badService, change(), ...decoys], 'change', 'c1'],
  ['a deploy and nothing but a failing test', [outcome(), change(), ...decoys], 'change', 'c1'],
  [
    'a wrong configuration twenty minutes before',
    [outcome(), change({ changeKind: 'config', atMs: atMinute(-20) })],
    'change',
    'c1',
  ],
  [
    'the later of two deploys that explain it alike',
    [outcome(), change({ changeId: 'a', atMs: atMinute(-11) }), change({ changeId: 'c1', atMs: atMinute(-1) })],
    'change',
    'c1',
  ],
  ['a deployment that still waits for its approval', [outcome(), badService, change({ unapplied: 'waiting' })], 'unknown'],
  ['a deployment that was called off', [outcome(), badService, change({ unapplied: 'cancelled' })], 'unknown'],
  [
    'a deploy before the harm, and the one that was to mend it four minutes later',
    [outcome(), badService, change({ atMs: atMinute(-8) }), change({ changeId: 'mends', atMs: atMinute(4) })],
    'change',
    'c1',
  ],
  ['nothing but the deploy that was to mend it', [outcome(), badService, change({ atMs: atMinute(4) })], 'unknown'],
  ['a deploy that its sender told of a minute late', [outcome(), badService, change({ atMs: atMinute(1) })], 'change', 'c1'],
  ['a fault without any change', [outcome(), badService], 'unknown'],
  ['a fault with nothing but decoys', [outcome(), badService, ...decoys], 'unknown'],
  ['a deploy of half a day before', [outcome(), change({ atMs: atMinute(-720), recency: 0.5, score: 0.8 })], 'unknown'],
  ['a dependency that fails', [outcome(), badService, badPayments], 'dependency', 'payments'],
  [
    'a dependency that fails, two calls away',
    [outcome(), badService, badPayments, edge({ source: 'payments', target: 'bank', errors: 400 })],
    'dependency',
    'bank',
  ],
  [
    'a bad deploy of a dependency',
    [outcome(), badService, badPayments, change({ target: 'payments', topology: 0, score: 0.4, dependency: 'payments' })],
    'change',
    'c1',
  ],
  [
    'a deploy of a dependency that is as before',
    [outcome(), badService, edge(), change({ target: 'payments', topology: 0, score: 0.4, dependency: 'payments' })],
    'unknown',
  ],
  [
    'a slow database',
    [outcome({ fault: 'timeout' }), service({ p95Ms: 1200 }), slowDatabase, ...decoys],
    'dependency',
    'orders-db',
  ],
  [
    'a database that was slow before the deploy',
    [outcome(), service({ p95Ms: 1200 }), { ...slowDatabase, atMs: atMinute(-8) }, change()],
    'dependency',
    'orders-db',
  ],
  ['an ISP that is out', [share(), outcome({ fault: 'no_answer', passingFrom: ['Hamburg'] }), ...decoys], 'network', 'Berlin'],
  ['the Wi-Fi of a floor', [share({ cause: 'wifi', gateway: null, affected: 12 })], 'network', 'Berlin'],
  [
    'a route that was changed',
    [share(), change({ changeKind: 'route', target: null, prefix: '10.64.0.0/16', topology: 0.8, score: 0.88 })],
    'change',
    'c1',
  ],
  ['a site that alone does not reach it', [outcome({ fault: 'no_answer', passingFrom: ['Hamburg', 'Lisbon'] })], 'network'],
  [
    'a certificate that ran out',
    [outcome({ fault: 'certificate' }), certificate({ notAfterMs: atMinute(-1) }), ...decoys],
    'certificate',
  ],
  [
    'a certificate that ran out minutes after a deploy',
    [outcome({ fault: 'certificate' }), certificate({ notAfterMs: atMinute(-1) }), change()],
    'certificate',
  ],
  [
    'a certificate for other names, deployed with a change',
    [outcome({ fault: 'certificate' }), certificate({ nameMatches: false, changedAtMs: atMinute(-3) }), change()],
    'change',
    'c1',
  ],
  [
    'a dependency that fails, and a certificate that ran out an hour later',
    [service({ errors: 300 }), badPayments, certificate({ notAfterMs: atMinute(60) })],
    'dependency',
    'payments',
    { toMs: atMinute(120) },
  ],
  [
    'a dependency that fails, and a certificate of the same host that is about to run out',
    [service({ errors: 300 }), badPayments, certificate({ notAfterMs: atMinute(60 * 24 * 12) })],
    'dependency',
    'payments',
    { signalKinds: ['otlp.edge_failing', 'test.certificate_expiring'] },
  ],
  [
    'users that hurt, and a certificate of their host that is about to run out',
    [users({ p75LcpMs: 5200, errorRatio: 0 }), certificate({ notAfterMs: atMinute(60 * 24 * 12) })],
    'unknown',
    '',
    { signalKinds: ['rum.user_impact_unseen_by_synthetics', 'test.certificate_expiring'] },
  ],
  [
    'nothing but a certificate that is about to run out',
    [passing(), certificate({ notAfterMs: atMinute(60 * 24 * 12) })],
    'certificate',
    'shop.example',
    { signalKinds: ['test.certificate_expiring'] },
  ],
  ['a name that is gone', [outcome({ fault: 'name_not_found' }), ...decoys], 'dns'],
  [
    'a DNS record that was changed',
    [outcome({ fault: 'name_not_found' }), change({ changeKind: 'config', title: 'DNS: move shop to the new zone' })],
    'change',
    'c1',
  ],
  [
    'a peak of requests',
    [outcome({ fault: 'timeout' }), service({ callsPerMinute: 400, p95Ms: 2000 }), ...decoys],
    'capacity',
    'shop',
  ],
  [
    'a peak that takes the database along',
    [outcome({ fault: 'timeout' }), service({ callsPerMinute: 400, p95Ms: 2000 }), { ...slowDatabase, callsPerMinute: 240 }],
    'capacity',
    'shop',
  ],
  [
    'a name that takes seconds to resolve, so that the whole takes too long',
    [outcome(), phase({ phase: 'dns', usualMs: 6, nowMs: 3000 })],
    'dns',
  ],
  [
    'a change of the network that many devices are hurt by',
    [share({ affected: 60 }), change({ changeKind: 'config', target: null, prefix: '10.64.0.0/16', topology: 0.7, score: 0.8 })],
    'change',
    'c1',
  ],
  ['pages that break in browsers', [users(), passing(), service()], 'client', 'shop.example'],
  ['a release of the client', [users(), passing(), service(), change({ changeKind: 'release' })], 'change', 'c1'],
  ['users hurt by what tests see too', [users(), outcome(), badService], 'unknown'],
  ['nothing at all', [], 'unknown'],
];

describe('the first cause', () => {
  it.each(CASES.map(([words, facts, kind, subject, over]) => ({ words, facts, kind, subject, over })))(
    'of $words',
    ({ facts, kind, subject, over }) => {
      const { ranked, confidence, level } = rankCauses(situation(facts, over));
      const told = ranked.map((one) => `${one.kind} ${one.subject} ${one.score}`);
      expect(ranked[0]?.kind, told.join(', ')).toBe(kind);
      if (subject !== undefined) expect(ranked[0]?.subject, told.join(', ')).toBe(subject);
      if (kind === 'unknown') expect({ confidence, level }).toEqual({ confidence: 0, level: 'none' });
      else expect(ranked[0]?.score).toBeGreaterThanOrEqual(NAMED_FROM);
    },
  );

  it('is the same whatever the order of the facts', () => {
    for (const [, facts, , , over] of CASES) {
      const names = (all: readonly EvidenceFact[]) =>
        rankCauses(situation(all, over)).ranked.map(({ kind, subject, score }) => [kind, subject, score]);
      expect(names(facts.toReversed())).toEqual(names(facts));
    }
  });

  it('is told with a second one where two faults have nothing in common', () => {
    const both = [
      outcome({ passingFrom: [] }),
      badService,
      change(),
      certificate({ testId: 't2', testName: 'Mail', notAfterMs: atMinute(-90) }),
    ];
    const { ranked, second } = rankCauses(situation(both));
    expect(new Set([ranked[0]?.kind, second?.kind])).toEqual(new Set(['change', 'certificate']));
  });
});

describe('what people say of a change', () => {
  it('moves it down and never hides it, or names it where it was not enough by itself', () => {
    const facts = [outcome(), badService];
    const ruledOut = rankCauses(situation([...facts, change({ verdict: 'ruled_out' })]));
    expect(ruledOut.ranked[0]?.kind).toBe('unknown');
    const old = { atMs: atMinute(-720), recency: 0.5, score: 0.8 };
    expect(rankCauses(situation([...facts, change({ ...old, verdict: 'cause' })])).ranked[0]?.subject).toBe('c1');
  });
});

describe('a score', () => {
  const fact = outcome();
  it.each([
    ['nothing', [], 0],
    ['one item', [speaksFor(fact, 0.6, '')], 0.6],
    ['two items leave less doubt', [speaksFor(fact, 0.6, ''), speaksFor(fact, 0.5, '')], 0.8],
    ['what speaks against takes its share', [speaksFor(fact, 0.8, ''), speaksAgainst(fact, 0.5, '')], 0.4],
  ])('of %s', (_words, parts, score) => expect(scoreOf({ parts })).toBe(score));

  it('stays between 0 and 1 whatever comes', () => {
    const many = Array.from({ length: 500 }, () => speaksFor(fact, 0.9, ''));
    expect(scoreOf({ parts: many })).toBeLessThanOrEqual(1);
  });
});

it('says how sure it is in numbers that can be checked', () => {
  const sure = rankCauses(situation([outcome(), badService, change()]));
  expect(sure.level).toBe('high');
  expect(sure.computed).toContain(`score ${sure.ranked[0]?.score}`);
  const torn = rankCauses(
    situation([outcome(), badService, change(), edge({ target: 'mail', errors: 300 })], { target: 'shop' }),
  );
  expect(torn.confidence).toBeLessThan(sure.confidence);
  expect(torn.computed).toContain('the next explanation');
});

it('needs no more than the facts: lines and phases take part', () => {
  const full = [
    outcome({ fault: 'timeout' }),
    service({ p95Ms: 900 }),
    line({ pattern: 'pool exhausted' }),
    line({ pattern: 'queue full' }),
  ];
  expect(rankCauses(situation(full)).ranked[0]?.kind).toBe('capacity');
  const slow = [outcome({ fault: 'timeout' }), phase({ phase: 'dns', usualMs: 5, nowMs: 4000 })];
  expect(rankCauses(situation(slow)).ranked[0]?.kind).toBe('dns');
});
