import { expect, type Page } from '@playwright/test';

/** Sees to it that there is an inbound webhook to look at. Needs an administrator's session. */
export async function settleInbound(page: Page, url: string): Promise<void> {
  const { items } = (await (await page.request.get(`${url}/v1/notify/inbound`)).json()) as { items: unknown[] };
  if (items.length > 0) return;
  const made = await page.request.post(`${url}/v1/notify/inbound`, {
    headers: { origin: url },
    data: { provider: 'ticket_a', name: 'Walked past' },
  });
  expect(made.status(), await made.text()).toBe(201);
}
