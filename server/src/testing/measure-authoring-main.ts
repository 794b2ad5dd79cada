/** npm run authoring: prints how well the heuristic author does on its quality set; with --misses what it did not get of the open part. */
import { type Figures, judge, measure, readCases, readKnown, SETS } from './measure-authoring.ts';

const share = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;

function describe(name: string, { cases, exact, wrong, refused, asked, invented, fields }: Figures): string {
  const parts = Object.entries(fields).map(([field, [right, of]]) => `${field} ${share(right, of)}`);
  return `${name.padEnd(9)} ${String(cases).padStart(3)} requests: exact ${share(exact, cases)}, wrong ${share(wrong, cases)}, refused ${refused}, asked back ${asked}, invented ${invented}\n          ${parts.join(', ')}`;
}

const known = readKnown();
const all = SETS.flatMap((set) => readCases(set));
for (const set of SETS) console.log(describe(set, measure(readCases(set), known)));
console.log(describe('all', measure(all, known)));
if (process.argv.includes('--misses'))
  for (const set of SETS.filter((one) => one !== 'held-out'))
    for (const one of readCases(set)) {
      const { outcome, fields, got } = judge(one, known);
      if (outcome === 'exact') continue;
      const differing = Object.entries(fields)
        .filter(([, isRight]) => !isRight)
        .map(([field]) => field);
      const given =
        'drafts' in got
          ? got.drafts.map(({ test: { name: _, ...test } }) => JSON.stringify(test)).join('\n     ')
          : 'choices' in got
            ? `? ${got.question}`
            : got.missing.join(' ');
      console.log(`\n${outcome} ${differing.join(',')}\n  ${one.q}\n  w: ${JSON.stringify(one.w)}\n  g: ${given}`);
    }
