import type { BrowserContext, ConsoleMessage, Page, Request } from 'playwright-core';
import type { Run } from '../synthetic/run.ts';
import { cut, RunFailure } from '../synthetic/run-failure.ts';
import { cutUrl } from '../synthetic/safety/redact.ts';
import type { FilteringProxy } from './filtering-proxy.ts';
import { authorityOfUrl } from './net-failure.ts';

const MAX_LISTED = 50;
const MAX_ERRORS = 20;
/** More than that no page needs; each one costs the runner. */
const MAX_REQUESTS = 10_000;
const MAX_MESSAGES = 5000;
const MAX_DIALOGS = 50;

export interface PageWatch {
  /** The main frame's last request that failed. */
  readonly failedNavigation: () => Request | undefined;
  readonly hasCrashed: () => boolean;
}

interface Watching {
  readonly run: Run;
  readonly proxy: FilteringProxy;
  readonly giveUp: (failure: RunFailure) => void;
}

const count = (run: Run, figure: string): number => {
  const next = (run.figures[figure] ?? 0) + 1;
  run.figures[figure] = next;
  return next;
};

function noteFailed({ run, proxy }: Watching, url: string, error: string): void {
  count(run, 'requests.failed');
  run.evidence.failed_requests ??= [];
  if (run.evidence.failed_requests.length >= MAX_LISTED) return;
  const why = error.startsWith('HTTP') ? error : (proxy.failureOf(authorityOfUrl(url))?.message ?? error);
  const clean = (text: string, length: number): string => cut(run.redactor.redact(text), length);
  run.evidence.failed_requests.push({ url: cut(cutUrl(run.redactor.redact(url)), 512), error: clean(why, 256) });
}

function noteError({ run, giveUp }: Watching, text: string): void {
  if (count(run, 'console.errors') > MAX_MESSAGES)
    giveUp(new RunFailure('too_large', `The page writes more than ${MAX_MESSAGES} errors.`));
  run.evidence.console_errors ??= [];
  if (run.evidence.console_errors.length < MAX_ERRORS) run.evidence.console_errors.push(cut(run.redactor.redact(text), 512));
}

/** Windows that a page opens are closed, questions dismissed, downloads refused; all are counted. */
function refuse(page: Page, watching: Watching): void {
  const { run, giveUp } = watching;
  page.on('dialog', (dialog) => {
    if (count(run, 'dialogs') > MAX_DIALOGS)
      giveUp(new RunFailure('crashed', `The page asks more than ${MAX_DIALOGS} questions.`));
    dialog.dismiss().catch(() => undefined);
  });
  page.on('download', (download) => {
    count(run, 'downloads');
    download.cancel().catch(() => undefined);
  });
}

export function watchPage(context: BrowserContext, page: Page, watching: Watching): PageWatch {
  const { run, giveUp } = watching;
  let failedNavigation: Request | undefined;
  let crashed = false;
  let messages = 0;
  context.on('page', (other) => {
    count(run, 'popups');
    other.close().catch(() => undefined);
  });
  refuse(page, watching);
  page.on('crash', () => {
    crashed = true;
  });
  page.on('request', () => {
    if (count(run, 'requests') > MAX_REQUESTS)
      giveUp(new RunFailure('too_large', `The page makes more than ${MAX_REQUESTS} requests.`));
  });
  page.on('requestfailed', (request) => {
    const error = request.failure()?.errorText ?? 'failed';
    const isMain = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (isMain) failedNavigation = request;
    // What was given up because the page went on is no failure of anybody.
    if (error !== 'net::ERR_ABORTED') noteFailed(watching, request.url(), error);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) noteFailed(watching, response.url(), `HTTP ${response.status()}`);
  });
  page.on('console', (message: ConsoleMessage) => {
    messages += 1;
    if (messages > MAX_MESSAGES) giveUp(new RunFailure('too_large', `The page writes more than ${MAX_MESSAGES} lines.`));
    if (message.type() === 'error') noteError(watching, message.text());
  });
  page.on('pageerror', (error) => noteError(watching, String(error?.message ?? error)));
  return { failedNavigation: () => failedNavigation, hasCrashed: () => crashed };
}
