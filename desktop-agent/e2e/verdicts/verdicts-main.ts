/** `npm run verdicts`: plays the situations in the network lab and shows how right the verdicts are. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { reportOf } from './report.ts';
import { runCorpus, WIDTH } from './run-situation.ts';
import { brokenPromises, score } from './score.ts';
import { SITUATIONS } from './situations/index.ts';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'verdicts.md');
const BEGIN = '<!-- verdicts: begin -->';
const END = '<!-- verdicts: end -->';

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    write: { type: 'boolean' },
    width: { type: 'string' },
    sentences: { type: 'boolean' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const reason = netlabUnavailable();
if (reason) {
  say(`No network lab: ${reason}.`);
  process.exit(1);
}
const chosen = SITUATIONS.filter(({ name }) => values.only?.some((part) => name.includes(part)) ?? true);
const beganMs = performance.now();
const outcomes = await runCorpus(chosen, {
  width: Number(values.width ?? WIDTH),
  onOutcome: ({ situation, observed, error, seconds }) => {
    say(
      `${situation.name} (${seconds.toFixed(0)} s): ${observed ? `${observed.cause} ${observed.kind} ${observed.confidence}` : error}`,
    );
    if (values.sentences) say(`  ${observed?.sentence} (${observed?.measured})`);
  },
});
const result = score(outcomes);
const report = reportOf(result);
say(`\n${report}\n\n${outcomes.length} situations in ${((performance.now() - beganMs) / 1000).toFixed(0)} s`);
if (values.write) {
  const page = readFileSync(PAGE, 'utf8');
  const [before = '', rest = ''] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${report}\n\n${END}${rest.split(END)[1] ?? ''}`);
}
if (!values.only) {
  const broken = brokenPromises(result);
  for (const one of broken) say(`Not kept: ${one}`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}
