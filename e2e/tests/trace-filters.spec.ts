import { expect, test } from '@playwright/test';
import { running } from '../stack/running.ts';
import { openSender, waitForTrace } from '../stack/send-telemetry.ts';

const { url } = running();
const TRACE = 'e'.repeat(32);

test('operations of one name are told apart by their service, and Enter chooses the first that is found', async ({ page }) => {
  const send = await openSender(page, { url, name: 'trace filters' });
  const ms = Date.now() - 60_000;
  const spanOf = (name: string, index: number) => ({
    ...{ traceId: TRACE, spanId: String(index).padStart(16, '1'), name, kind: 2 },
    ...{ startTimeUnixNano: `${ms}000000`, endTimeUnixNano: `${ms + 40}000000` },
  });
  const names = ['POST /checkout', ...Array.from({ length: 4 }, (_, index) => `GET /page/${index}`)];
  const services = ['counter', 'register'].map((service, at) => ({
    resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
    scopeSpans: [{ spans: names.map((name, index) => spanOf(name, at * 10 + index)) }],
  }));
  await send('traces', { resourceSpans: services });
  await waitForTrace(page, { url, id: TRACE });

  await page.goto(`${url}/traces`);
  const facets = page.getByRole('region', { name: 'Services and operations' });
  await expect(facets.getByRole('button', { name: /^POST \/checkout counter/ })).toBeVisible();
  await page.getByRole('button', { name: 'Operation', exact: true }).click();
  const find = page.getByRole('searchbox', { name: 'Find an operation' });
  await find.fill('checkout reg');
  await find.press('Enter');
  await expect(page.getByRole('checkbox', { name: 'POST /checkout register' })).toBeChecked();
  await expect(page).toHaveURL(
    (at) => at.searchParams.get('operation') === 'POST /checkout' && at.searchParams.get('service') === 'register',
  );
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Remove filter Operation' })).toBeVisible();
});
