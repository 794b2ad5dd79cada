import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator as Wanted } from '@svc/contracts/tests/params/browser';
import type { Locator, Page } from 'playwright-core';
import { metered } from '../synthetic/cpu.ts';
import type { Run } from '../synthetic/run.ts';
import { RunFailure } from '../synthetic/run-failure.ts';
import { readTexts } from './element-texts.ts';
import { isPlainCss } from './plain-css.ts';

type Role = Parameters<Page['getByRole']>[0];

const POLL_MS = 50;
/** Elements of a page that are looked at for one step. */
const MAX_LOOKED_AT = 50;
const LOOK_MS = 1000;

export function find(page: Page, on: Wanted): Locator {
  if ('css' in on) return page.locator(`css=${on.css}`);
  if ('text' in on) return page.getByText(on.text);
  if ('label' in on) return page.getByLabel(on.label);
  // It becomes a part of a selector as it is.
  if (!/^[a-z]{1,32}$/.test(on.role)) throw new RunFailure('step', 'there is no such role');
  return page.getByRole(on.role as Role, on.name === undefined ? {} : { name: on.name });
}

const wordsOf = (on: Wanted): string | undefined =>
  'css' in on ? undefined : 'text' in on ? on.text : 'label' in on ? on.label : on.name;

const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().toLowerCase();

/** The texts of an element as whoever wrote the test may know them; none where it is gone. */
export async function textsOf(run: Run, locator: Locator, timeout: number): Promise<string[]> {
  const texts = await locator.evaluate(readTexts, undefined, { timeout }).catch(() => []);
  return metered(run, () => texts.map((text) => run.redactor.redact(text)));
}

/** What a test names may be found by: in a test with secrets by the texts without them. */
export async function candidates(run: Run, page: Page, on: Wanted): Promise<Locator[]> {
  const all = find(page, on);
  if ('css' in on && !isPlainCss(on.css))
    throw new RunFailure(
      'step',
      'a test with secrets takes selectors of elements only, without parts of attributes, texts and >>',
    );
  const words = wordsOf(on);
  const found: Locator[] = [];
  const count = Math.min(await all.count(), MAX_LOOKED_AT);
  for (let i = 0; i < count; i += 1) {
    const one = all.nth(i);
    if (words === undefined || (await textsOf(run, one, LOOK_MS)).some((text) => plain(text).includes(plain(words))))
      found.push(one);
  }
  return found;
}

export interface Place {
  readonly on: Wanted;
  readonly timeout: number;
  /** Any of several that fit; else they have to be told apart. */
  readonly isAny?: boolean;
}

/**
 * What a step acts on. In a test with secrets an element is found by what the test may know of the page; whether a step finds something would
 * else tell of a secret, letter by letter.
 */
export async function locate(run: Run, page: Page, { on, timeout, isAny = false }: Place): Promise<Locator> {
  if (!run.hasSecrets) return isAny ? find(page, on).first() : find(page, on);
  for (const endMs = performance.now() + timeout; ; await sleep(POLL_MS)) {
    run.signal.throwIfAborted();
    const [first, ...others] = await candidates(run, page, on);
    if (first && others.length > 0 && !isAny)
      throw new RunFailure('step', `${others.length + 1} elements fit; say more exactly which`);
    if (first) return first;
    if (performance.now() > endMs) throw new RunFailure('step', `it is not there, or not ready, within ${timeout / 1000} s`);
  }
}
