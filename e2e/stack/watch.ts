import { expect, type Page } from '@playwright/test';
import { running } from './running.ts';

interface Wanted {
  name: string;
  target: string;
  /** Failing runs in a row, one a second, before it counts as failing. */
  failingAfter: number;
}

/** Until a new test has run and the page says so, where the other lane has both cores for a while. */
export const FIRST_RUN_MS = 45_000;

/** A test that runs each second. */
export async function makeTest(page: Page, { name, target, failingAfter }: Wanted): Promise<void> {
  const { url } = running();
  const made = await page.request.post(`${url}/v1/tests`, {
    headers: { origin: url },
    data: { name, type: 'http', target, interval_seconds: 1, failing_after: failingAfter },
  });
  expect(made.status(), await made.text()).toBe(201);
}

/** Nothing is measured behind a file's back in those that follow. */
export async function removeTests(page: Page, names: readonly string[]): Promise<void> {
  const { url } = running();
  const { items } = (await (await page.request.get(`${url}/v1/tests`)).json()) as {
    items: { test: { id: string; name: string } }[];
  };
  for (const { test: found } of items)
    if (names.includes(found.name)) await page.request.delete(`${url}/v1/tests/${found.id}`, { headers: { origin: url } });
}

/** The incident about a host, once there is one. */
export async function findIncident(page: Page, host: string): Promise<string | undefined> {
  const { items } = (await (await page.request.get(`${running().url}/v1/incidents`)).json()) as {
    items: { id: string; target: string | null }[];
  };
  return items.find(({ target }) => target?.includes(host))?.id;
}
