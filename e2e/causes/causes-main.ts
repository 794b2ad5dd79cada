/** `npm run causes`: plays incidents of known cause through the product and shows how right the panel is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { scenariosOf } from '@svc/simulator/causes/corpus';
import { openCausesProduct } from './open-product.ts';
import { playCorpus } from './play-corpus.ts';
import { reportOf } from './report.ts';
import { brokenPromises, type Score, score, scoreOne } from './score.ts';

const PAGE = join(import.meta.dirname, '..', '..', 'docs', 'causes-corpus.md');
const BEGIN = '<!-- causes: begin -->';
const END = '<!-- causes: end -->';
/** The second one is held out: no rule was made by looking at it. */
const SEEDS = ['1', '2'];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seed: { type: 'string', multiple: true },
    write: { type: 'boolean' },
    'real-time': { type: 'boolean' },
    details: { type: 'boolean' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const causes = await openCausesProduct();
const scores: (readonly [string, Score])[] = [];
try {
  for (const seed of values.seed ?? SEEDS) {
    const chosen = scenariosOf(Number(seed)).filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
    const beganMs = performance.now();
    const seconds = (): string => ((performance.now() - beganMs) / 1000).toFixed(0);
    const outcomes = await playCorpus(causes, chosen, {
      isRealTime: values['real-time'] ?? false,
      onProgress: (what) => say(`seed ${seed}, ${seconds()} s: ${what}`),
      onOutcome: (outcome) => say(`seed ${seed}, ${seconds()} s: ${outcome.scenario.name}: ${scoreOne(outcome).verdict}`),
    });
    scores.push([`seed ${seed}`, score(outcomes)]);
    say(`seed ${seed}: ${outcomes.length} scenarios in ${seconds()} s`);
    if (values.details)
      for (const { scenario, answer } of outcomes) say(`${scenario.name}: ${scenario.truth}\n${JSON.stringify(answer, null, 1)}`);
  }
  const report = reportOf(scores);
  say(`\n${report}`);
  if (values.write) {
    const page = readFileSync(PAGE, 'utf8');
    const [before = '', rest = ''] = page.split(BEGIN);
    writeFileSync(PAGE, `${before}${BEGIN}\n\n${report}\n\n${END}${rest.split(END)[1] ?? ''}`);
  }
} finally {
  // Behind the report: on a busy machine the stores take their time, and what was measured is told by then.
  await causes.close();
}
const broken = values.only ? [] : scores.flatMap(([, one]) => brokenPromises(one));
process.exit(broken.length > 0 ? 1 : 0);
