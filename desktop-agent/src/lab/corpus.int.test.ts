import { netlabUnavailable } from '@svc/testkit/netlab/netlab';
import { expect, it } from 'vitest';
import { reportOf } from '../../e2e/verdicts/report.ts';
import { runCorpus, WIDTH } from '../../e2e/verdicts/run-situation.ts';
import { brokenPromises, score } from '../../e2e/verdicts/score.ts';
import { SITUATIONS } from '../../e2e/verdicts/situations/index.ts';

/** The whole corpus (docs/verdicts.md): what the product promises of it, and that it stays within the minutes of a part of the long lane. */
const reason = netlabUnavailable();
if (reason) process.stderr.write(`SKIPPED: the corpus of situations: ${reason}\n`);
const LONGEST_MS = 360_000;

it.skipIf(reason)(
  'says what is true, is never surely wrong and calls nothing healthy that is not',
  { timeout: LONGEST_MS },
  async () => {
    expect(SITUATIONS.length).toBeGreaterThanOrEqual(60);
    const result = score(await runCorpus(SITUATIONS, { width: WIDTH }));
    const broken = brokenPromises(result);
    if (broken.length > 0) process.stdout.write(`${reportOf(result)}\n`);
    expect(broken).toEqual([]);
  },
);
