import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type Axe from 'axe-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

type InPage = typeof globalThis & { axe?: typeof Axe };

let read: string | undefined;
/** The axe that @axe-core/playwright brings, in its small form: the browser reads it once for every document. */
const source = (): string => {
  read ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  return read;
};

/**
 * What axe finds serious in the window as it stands, which has no frames. A document is given axe once, however often it is looked at, and
 * what is right on it is not described: both cost more than the look itself.
 */
export async function findSerious(shown: Page): Promise<string[]> {
  if (!(await shown.evaluate(() => (globalThis as InPage).axe !== undefined))) await shown.evaluate(source());
  const options: Axe.RunOptions = { runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] };
  const violations = await shown.evaluate(async (given) => {
    const { axe } = globalThis as InPage;
    if (!axe) throw new Error('The document changed while it was looked at.');
    return (await axe.run(given)).violations;
  }, options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}
