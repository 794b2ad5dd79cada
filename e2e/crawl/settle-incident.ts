import { expect, type Page } from '@playwright/test';

/** Nothing listens there; its own name, so that no other spec's incident is about the same. */
const DEAD = 'localhost:9';
const NAME = 'Walked past';

/** Sees to it that there is a test and an open incident to look at: a test of something that is not there. Needs an administrator's session. */
export async function settleIncident(page: Page, url: string): Promise<void> {
  const open = async (): Promise<number> => {
    const answer = await page.request.get(`${url}/v1/incidents?status=open`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };
  const tests = (await (await page.request.get(`${url}/v1/tests`)).json()) as { items: unknown[] };
  if (tests.items.length > 0 && (await open()) > 0) return;
  const made = await page.request.post(`${url}/v1/tests`, {
    headers: { origin: url },
    data: { name: NAME, type: 'tcp', target: DEAD, interval_seconds: 2, failing_after: 1 },
  });
  // 409: another spec made it.
  expect([201, 409], await made.text()).toContain(made.status());
  await expect.poll(open, { timeout: 60_000 }).toBeGreaterThan(0);
}
