import type { BrowserStep, Locator as Wanted } from '@svc/contracts/tests/params/browser';
import { secretsIn } from '@svc/contracts/tests/params/shared';
import type { Page } from 'playwright-core';
import { note, shown } from '../synthetic/checks/assert.ts';
import { checkExpression, matchExpression } from '../synthetic/checks/expression.ts';
import { metered, takeTurn } from '../synthetic/cpu.ts';
import { hostOf } from '../synthetic/http/request-fields.ts';
import { fillSecrets, type Run } from '../synthetic/run.ts';
import { cut, RunFailure } from '../synthetic/run-failure.ts';
import { cutUrl } from '../synthetic/safety/redact.ts';
import { candidates, find, locate, textsOf } from './locate.ts';

const DEFAULT_MS = 10_000;
const POLL_MS = 50;

function named(on: Wanted): string {
  if ('css' in on) return on.css;
  if ('text' in on) return shown(on.text, 60);
  if ('label' in on) return `the field ${shown(on.label, 60)}`;
  return on.name === undefined ? on.role : `${on.role} ${shown(on.name, 60)}`;
}

/** What a person reads of a step; a value that is filled in is none of it. */
export function labelOf(step: BrowserStep): string {
  switch (step.do) {
    case 'open':
      return `open ${cut(cutUrl(step.url), 150)}`;
    case 'click':
      return `click ${named(step.on)}`;
    case 'fill':
      return `fill ${named(step.on)}`;
    case 'press':
      return step.on ? `press ${step.key} in ${named(step.on)}` : `press ${step.key}`;
    case 'expect_text':
      return `expect ${shown(step.text, 100)}${step.on ? ` in ${named(step.on)}` : ''}`;
    case 'expect_url':
      return `expect the address to match ${shown(step.matches, 100)}`;
    case 'wait':
      return `wait for ${named(step.for)}`;
    case 'pause':
      return `pause for ${step.ms} ms`;
  }
}

const escaped = (text: string): RegExp =>
  new RegExp(
    text
      .trim()
      .split(/\s+/)
      .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
      .join('\\s+'),
  );

/** Looks never for most of the time, however hard the expression is. */
const IDLE_SHARE = 20;

async function expectUrl(run: Run, page: Page, { pattern, timeout }: { pattern: string; timeout: number }): Promise<void> {
  const fault = checkExpression(pattern);
  if (fault !== undefined) throw new RunFailure('step', fault);
  const address = (): string => run.redactor.redact(page.url());
  for (const endMs = performance.now() + timeout; ; ) {
    await takeTurn(run);
    const sinceMs = performance.now();
    if (metered(run, () => matchExpression(pattern, address()).found)) return;
    if (performance.now() > endMs) throw new RunFailure('step', `the address is ${cut(cutUrl(address()), 200)}`);
    await page.waitForTimeout(Math.max(POLL_MS, IDLE_SHARE * (performance.now() - sinceMs)));
  }
}

async function expectText(
  run: Run,
  page: Page,
  { step, timeout }: { step: Extract<BrowserStep, { do: 'expect_text' }>; timeout: number },
): Promise<void> {
  const wanted = escaped(step.text);
  if (!run.hasSecrets) {
    const place = step.on ? find(page, step.on) : page.locator('css=body');
    return await place.filter({ hasText: wanted }).first().waitFor({ timeout, state: 'attached' });
  }
  // The page's text without secrets, or the answer would tell of them.
  for (const endMs = performance.now() + timeout; ; await page.waitForTimeout(POLL_MS)) {
    const places = await candidates(run, page, step.on ?? { css: 'body' });
    for (const place of places) {
      const [text = ''] = await textsOf(run, place, POLL_MS * 20);
      if (metered(run, () => wanted.test(text))) return;
    }
    if (performance.now() > endMs) throw new RunFailure('step', `the page does not show it within ${timeout / 1000} s`);
  }
}

/** The element is found before its page's host is asked for: one of a page that has gone since takes no value. */
async function fill(
  run: Run,
  page: Page,
  { step, timeout }: { step: Extract<BrowserStep, { do: 'fill' }>; timeout: number },
): Promise<void> {
  const locator = await locate(run, page, { on: step.on, timeout });
  if (secretsIn(step.value).length === 0) return await locator.fill(step.value, { timeout });
  await locator.waitFor({ timeout });
  const element = await locator.elementHandle({ timeout });
  const url = URL.parse(page.url());
  if (!element || !url) throw new RunFailure('step', 'it went away');
  await element.fill(fillSecrets(run, step.value, hostOf(url)), { timeout });
}

/** `open` is the caller's. */
async function act(
  run: Run,
  page: Page,
  { step, timeout }: { step: Exclude<BrowserStep, { do: 'open' }>; timeout: number },
): Promise<void> {
  switch (step.do) {
    case 'click':
      return await (await locate(run, page, { on: step.on, timeout })).click({ timeout });
    case 'fill':
      return await fill(run, page, { step, timeout });
    case 'press':
      if (!step.on) return await page.keyboard.press(step.key);
      return await (await locate(run, page, { on: step.on, timeout })).press(step.key, { timeout });
    case 'expect_text':
      return await expectText(run, page, { step, timeout });
    case 'expect_url':
      return await expectUrl(run, page, { pattern: step.matches, timeout });
    case 'wait':
      return await (await locate(run, page, { on: step.for, timeout, isAny: true })).waitFor({ timeout });
    case 'pause':
      return await page.waitForTimeout(step.ms);
  }
}

/** Playwright's words, which go on for pages and may hold what was filled in, as one sentence. */
function wordsOf(error: unknown, step: BrowserStep, timeout: number): string {
  if (error instanceof RunFailure) return error.message;
  const text = error instanceof Error ? error.message : '';
  const several = /resolved to (\d+) elements/.exec(text)?.[1];
  if (several !== undefined) return `${several} elements fit; say more exactly which`;
  if (/crashed/.test(text)) return 'the page crashed';
  if (/has been closed|Target closed/.test(text)) return 'the browser was ended';
  if (/Unknown key/.test(text)) return 'there is no such key';
  if (!/Timeout/.test(text)) return 'it could not be done';
  const within = `within ${timeout / 1000} s`;
  return step.do === 'expect_text' ? `the page does not show it ${within}` : `it is not there, or not ready, ${within}`;
}

export interface StepRun {
  readonly page: Page;
  readonly open: (url: string, timeout: number) => Promise<void>;
}

/** In their order until one fails; each is told with its time, and as an assertion. */
export async function runSteps(run: Run, steps: readonly BrowserStep[], { page, open }: StepRun): Promise<void> {
  if (steps.length === 0) return;
  run.evidence.steps = [];
  run.hasSecrets = secretsIn(JSON.stringify(steps)).length > 0;
  for (const [i, step] of steps.entries()) {
    const leftMs = Math.max(1, run.startedMs + run.timeoutMs - performance.now());
    const timeout = Math.min(step.timeout_ms ?? DEFAULT_MS, leftMs);
    const startedMs = performance.now();
    const told = { step: i + 1, label: cut(run.redactor.redact(labelOf(step)), 256) };
    try {
      if (step.do === 'open') await open(step.url, timeout);
      else await act(run, page, { step, timeout });
      run.evidence.steps.push({ ...told, ms: performance.now() - startedMs, passed: true });
    } catch (error) {
      const words = cut(run.redactor.redact(wordsOf(error, step, timeout)), 400);
      run.evidence.steps.push({ ...told, ms: performance.now() - startedMs, passed: false, error: words });
      note(run, { rule: 'step', wanted: `step ${i + 1}: ${told.label}`, got: words, passed: false });
      // A target that may not be reached, a missing secret, and why a page did not come say more than a step does.
      if (error instanceof RunFailure && error.fault !== 'step') throw error;
      throw new RunFailure('step', `Step ${i + 1}, ${told.label}: ${words}.`);
    }
    note(run, { rule: 'step', wanted: `step ${i + 1}: ${told.label}`, got: 'done', passed: true });
  }
}
