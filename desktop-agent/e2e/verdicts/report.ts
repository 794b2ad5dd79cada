import { CAUSES } from '@svc/contracts/verdict';
import { brokenPromises, expectedWords, type Score, type Scored } from './score.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const saidWords = ({ observed, error }: Scored): string =>
  observed
    ? [
        observed.cause ?? 'nothing',
        observed.kind ?? 'no fault',
        ...(observed.also ? [`and ${observed.also}`] : []),
        ...(observed.actor ? [observed.actor] : []),
      ].join(' · ')
    : `not played: ${error ?? ''}`;
const confidenceWords = ({ observed }: Scored): string => observed?.confidence?.toFixed(2) ?? '–';

const situationRow = (one: Scored): readonly string[] => [
  one.situation.name,
  one.situation.truth,
  expectedWords(one.situation.expected),
  saidWords(one),
  confidenceWords(one),
  one.rightActor ? 'right' : one.rightKind ? 'wrong actor' : one.rightCause ? 'wrong fault' : 'WRONG',
];

/** Rows: what is true; columns: what was said. */
function confusion(scored: readonly Scored[]): string {
  const truthOf = (one: Scored): string => [one.situation.expected.cause].flat()[0] ?? 'none';
  const saidOf = (one: Scored): string => (one.rightCause ? truthOf(one) : (one.observed?.cause ?? 'nothing'));
  const columns = [...CAUSES, 'nothing'];
  const rows = CAUSES.filter((cause) => scored.some((one) => truthOf(one) === cause)).map((cause) => [
    `**${cause}**`,
    ...columns.map((column) => scored.filter((one) => truthOf(one) === cause && saidOf(one) === column).length || ''),
  ]);
  return table(['true \\ said', ...columns], rows);
}

const listed = (title: string, some: readonly Scored[]): string =>
  some.length === 0
    ? `${title}: none.`
    : [
        `${title}:`,
        '',
        ...some.map(
          (one) => `- ${one.situation.name}: ${saidWords(one)} at ${confidenceWords(one)}. ${one.observed?.sentence ?? ''}`,
        ),
      ].join('\n');

/** The whole outcome in Markdown. */
export function reportOf(result: Score): string {
  const { scored } = result;
  return [
    table(
      [
        'situations',
        'right cause',
        'right fault',
        'and who can act',
        'wrong above 0.7',
        'falsely "healthy"',
        'confidence in range',
        'Brier score',
      ],
      [
        [
          scored.length,
          percent(result.causeShare),
          percent(result.kindShare),
          percent(scored.filter((one) => one.rightActor).length / Math.max(1, scored.length)),
          result.surelyWrong.length,
          result.falselyHealthy.length,
          scored.filter((one) => one.confidenceInRange).length,
          result.brier.toFixed(3),
        ],
      ],
    ),
    confusion(scored),
    table(['situation', 'what is true', 'expected', 'said', 'confidence', ''], scored.map(situationRow)),
    brokenPromises(result).length === 0 ? 'Every promise is kept.' : `**Not kept yet:** ${brokenPromises(result).join('; ')}.`,
    listed('Wrong and said with confidence above 0.7', result.surelyWrong),
    listed('"Healthy" where something hurts, is off or was not measured', result.falselyHealthy),
  ].join('\n\n');
}
