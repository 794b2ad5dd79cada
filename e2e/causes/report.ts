import { HYPOTHESIS_KINDS } from '@svc/contracts/causes/root-cause';
import type { TrueCause } from '@svc/simulator/causes/scenario';
import { brokenPromises, labelOf, type Score, type Scored, truthOf } from './score.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const causeWords = (cause: TrueCause): string =>
  cause.kind === 'change' ? 'the change' : cause.subject === undefined ? cause.kind : `${cause.kind} · ${cause.subject}`;
const expectedWords = (causes: readonly TrueCause[]): string =>
  causes.length === 0 ? 'unknown' : causes.map(causeWords).join(' or ');

function saidWords({ outcome, first, verdict }: Scored): string {
  if (!first) return 'no incident';
  if (first.kind === 'unknown') return 'unknown';
  if (first.kind !== 'change') return `${first.kind} · ${first.subject}`;
  return verdict === 'right' ? 'the change' : `another change · ${labelOf(outcome, first)}`;
}

const scenarioRow = (one: Scored): readonly string[] => [
  one.outcome.scenario.name,
  one.outcome.scenario.truth,
  expectedWords(one.outcome.scenario.causes),
  saidWords(one),
  one.outcome.answer?.confidence.toFixed(2) ?? '–',
  one.verdict === 'right' ? 'right' : 'WRONG',
];

/** Rows: what is true; columns: what is told first. */
function confusion(scored: readonly Scored[]): string {
  const columns = [...HYPOTHESIS_KINDS, 'no incident'] as const;
  const saidOf = (one: Scored): string => (one.verdict === 'right' ? truthOf(one) : (one.first?.kind ?? 'no incident'));
  const rows = HYPOTHESIS_KINDS.filter((kind) => scored.some((one) => truthOf(one) === kind)).map((kind) => [
    `**${kind}**`,
    ...columns.map((column) => scored.filter((one) => truthOf(one) === kind && saidOf(one) === column).length || ''),
  ]);
  return table(['true \\ told first', ...columns], rows);
}

export function summaryOf(scores: readonly (readonly [name: string, score: Score])[]): string {
  const head = [
    'scenarios',
    'with a change or layer',
    'true cause first',
    'without',
    '"unknown"',
    'wrong change first',
    'high confidence, and wrong',
  ];
  const rows = scores.map(([name, { scored, told, toldShare, untold, unknownShare, wrongChanges }]) => [
    `${name}: ${scored.length}`,
    ...[told, percent(toldShare), untold, percent(unknownShare), wrongChanges],
    scored.filter(({ verdict, outcome }) => verdict === 'wrong' && outcome.answer?.level === 'high').length,
  ]);
  return table(head, rows);
}

function listWrong(name: string, { scored }: Score): string {
  const wrong = scored.filter(({ verdict }) => verdict !== 'right');
  if (wrong.length === 0) return `Wrong of ${name}: none.`;
  const lines = wrong.map((one) => `- ${one.outcome.scenario.name}: ${saidWords(one)}. ${one.outcome.answer?.explanation ?? ''}`);
  return [`Wrong of ${name}:`, '', ...lines].join('\n');
}

/** The outcome in Markdown: of all seeds the figures and what is wrong, of the first one each scenario. */
export function reportOf(scores: readonly (readonly [name: string, score: Score])[]): string {
  const broken = scores.flatMap(([name, one]) => brokenPromises(one).map((words) => `${name}: ${words}`));
  const [first] = scores;
  return [
    summaryOf(scores),
    broken.length === 0 ? 'Every promise is kept.' : `**Not kept yet:** ${broken.join('; ')}.`,
    ...scores.map(([name, one]) => listWrong(name, one)),
    ...(first
      ? [
          confusion(first[1].scored),
          table(['scenario', 'what is true', 'true cause', 'told first', 'confidence', ''], first[1].scored.map(scenarioRow)),
        ]
      : []),
  ].join('\n\n');
}
