import { expect, type Page } from '@playwright/test';

const APP = 'walked';
/** Its own name, so that no test of another spec is about the same host. */
const HOST = 'walked.example';

/** Sees to it that there is an app and a host of it to look at, by one view of a page. Needs an administrator's session. */
export async function settleVisits(page: Page, url: string): Promise<void> {
  const seen = async (): Promise<boolean> => {
    const { verdicts } = (await (await page.request.get(`${url}/v1/rum`)).json()) as { verdicts: { host: string | null }[] };
    return verdicts.some(({ host }) => host !== null);
  };
  if (await seen()) return;
  const made = await page.request.post(`${url}/v1/rum/apps`, { headers: { origin: url }, data: { name: APP } });
  // 409: another spec made it.
  expect([201, 409], await made.text()).toContain(made.status());
  const { items } = (await (await page.request.get(`${url}/v1/rum/apps`)).json()) as {
    items: { name: string; keys: { key: string }[] }[];
  };
  const key = items.find(({ name }) => name === APP)?.keys[0]?.key;
  const sent = await page.request.post(`${url}/ingest/rum`, { data: { v: 1, key, consent: true, host: HOST, page: '/' } });
  expect(sent.status(), await sent.text()).toBe(202);
  await expect.poll(seen, { timeout: 30_000 }).toBe(true);
}
