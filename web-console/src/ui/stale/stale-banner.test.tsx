import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { Outage } from './outage.ts';
import { describeNextTry, describeOutage } from './outage-words.ts';
import { NoAnswer, StaleStrip } from './stale-banner.tsx';

const at = (clock: string): number => new Date(`2026-11-24T${clock}:00`).getTime();
const NOW = at('08:15');
const outage: Outage = {
  since: at('08:11'),
  shownAt: at('08:10'),
  nextTryAt: NOW + 4200,
  refusal: undefined,
  isPart: false,
  isMissing: false,
  isEarlier: false,
  isEmpty: false,
};
const ignore = (): void => {};
const strip = (shown: Outage | undefined, recovery = ''): string =>
  renderToStaticMarkup(<StaleStrip outage={shown} recovery={recovery} isChanged={false} onTry={ignore} />);

it('says from when the shown is, why, and when it is tried again', () => {
  expect(describeOutage(outage, NOW)).toBe('Shown as of 08:10; the server has not answered since.');
  expect(describeNextTry(outage, NOW)).toBe('Trying again in 5\u00a0s.');
  expect(describeNextTry({ ...outage, nextTryAt: undefined }, NOW)).toBe('Trying again now.');
  expect(describeOutage({ ...outage, isPart: true, isMissing: true }, NOW)).toBe(
    'Part of this page is shown as of 08:10; the server has not answered since. What is missing comes when it answers.',
  );
  expect(describeOutage({ ...outage, refusal: 'Too many requests.' }, NOW)).toBe(
    'Shown as of 08:10; since then the server says: Too many requests.',
  );
  expect(describeOutage({ ...outage, shownAt: undefined, isMissing: true }, NOW)).toBe(
    'Part of this page is missing since 08:11; the server has not answered since.',
  );
});

it('says that a change waits only where the answer shown is the one before it', () => {
  const waits = 'Your last change takes effect when it answers.';
  expect(describeOutage({ ...outage, isEarlier: true }, NOW, true)).toContain(waits);
  expect(describeOutage({ ...outage, isEarlier: true }, NOW, false)).not.toContain(waits);
  expect(describeOutage(outage, NOW, true)).not.toContain(waits);
});

it('announces the outage politely, without its countdown, with a button to try now', () => {
  const html = strip(outage);
  expect(/<p role="status"[^>]*>(.*?)<\/p>/.exec(html)?.[1]).toMatch(
    /^Shown as of .*08:10; the server has not answered since\.$/,
  );
  expect(html).toMatch(/<span class="nowrap">Trying again (in|now)/);
  expect(html).toMatch(/<button[^>]*>.*Try now/);
});

it('keeps its live region when all is well, and there announces the recovery', () => {
  expect(strip(undefined)).toMatch(/^<div class="sr"><p role="status" class="sr"><\/p><\/div>$/);
  expect(strip(undefined, 'The server answers again.')).toContain('The server answers again.');
});

it('leaves a page that has nothing to show to an error that says what to do', () => {
  const empty = { ...outage, shownAt: undefined, isMissing: true, isEmpty: true };
  expect(strip(empty)).not.toContain('Try now');
  const html = renderToStaticMarkup(<NoAnswer outage={empty} onTry={ignore} />);
  expect(html).toContain('role="alert"');
  expect(html).toContain('The server does not answer');
  expect(html).toContain('Leave this page open: it fills automatically');
  expect(html).toContain('Try now');
  const refused = renderToStaticMarkup(<NoAnswer outage={{ ...empty, refusal: 'The store is away.' }} onTry={ignore} />);
  expect(refused).toMatch(/The server cannot answer now.*The store is away\./);
});
