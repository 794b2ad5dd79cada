import { expect, type Page, test } from '@playwright/test';
import { running } from '../stack/running.ts';
import { openSender, waitForTrace } from '../stack/send-telemetry.ts';

const { url } = running();
const SERVICE = 'boxoffice';
const TRACE = 'b'.repeat(32);
const METRIC = 'boxoffice_wait_seconds';
/** Far apart, so that dots at one height are a fault. */
const WAITS = [0.03, 0.4, 3.2];

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
const whole = (key: string, value: number) => ({ key, value: { intValue: `${value}` } });

/** A purchase whose payment fails two calls deep, what was logged of it, and how long people waited. */
function bodies() {
  const ms = Date.now() - 120_000;
  const at = (offset: number): string => `${ms + offset}000000`;
  const resource = { attributes: [text('service.name', SERVICE)] };
  const span = (id: string, parent: string, part: object) => ({
    ...{
      traceId: TRACE,
      spanId: id.repeat(16),
      parentSpanId: parent.repeat(16),
      startTimeUnixNano: at(0),
      endTimeUnixNano: at(900),
    },
    ...part,
  });
  const spans = [
    span('1', '', { name: 'POST /buy', kind: 2, status: { code: 2 }, attributes: [whole('http.response.status_code', 502)] }),
    span('2', '1', {
      ...{ name: 'POST /charge', kind: 3, status: { code: 2, message: 'the bank refused the card' } },
      attributes: [whole('http.response.status_code', 402)],
    }),
  ];
  const record = (offset: number, body: string, more: object = {}) => ({
    ...{ timeUnixNano: at(offset), severityNumber: 9, severityText: 'INFO', body: { stringValue: body }, ...more },
  });
  const points = WAITS.map((wait, i) => ({
    ...{ startTimeUnixNano: at(-i * 60_000 - 30_000), timeUnixNano: at(-i * 60_000), attributes: [text('hall', `h${i}`)] },
    ...{
      count: '4',
      sum: wait * 4,
      explicitBounds: [0.1, 1, 5],
      bucketCounts: ['0', '0', '0', '0'].map((_, b) => (b === i ? '4' : '0')),
    },
    exemplars: [{ timeUnixNano: at(-i * 60_000), asDouble: wait, traceId: TRACE, spanId: '1'.repeat(16) }],
  }));
  const metric = { name: 'boxoffice.wait', unit: 's', histogram: { aggregationTemporality: 1, dataPoints: points } };
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ spans }] }] },
    logs: {
      resourceLogs: [
        {
          resource,
          scopeLogs: [
            {
              logRecords: [
                record(500, 'payment failed', { traceId: TRACE, spanId: '2'.repeat(16) }),
                record(0, 'doors are open'),
              ],
            },
          ],
        },
      ],
    },
    metrics: { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [metric] }] }] },
  };
}

test.describe.configure({ mode: 'serial' });

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, storageState: 'test-results/admin.json' });
  const page = await context.newPage();
  const send = await openSender(page, { url, name: SERVICE });
  const { traces, logs, metrics } = bodies();
  await send('traces', traces);
  await send('logs', logs);
  await send('metrics', metrics);
  await waitForTrace(page, { url, id: TRACE });
  await context.close();
});

test('a trace says its error in the headline, and shows its logs before a span is chosen', async ({ page }) => {
  await page.goto(`${url}/traces/${TRACE}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    /^POST \/buy failed after 900.ms\. boxoffice, POST \/charge: the bank refused the card\.$/,
  );
  const logs = page.getByRole('region', { name: 'Logs' });
  await expect(logs).toContainText('payment failed');
  await expect(page.getByRole('region', { name: 'Span', exact: true })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the failed span' }).click();
  await expect(page.getByRole('region', { name: 'Span', exact: true })).toContainText('the bank refused the card');
  await expect(logs).toContainText('payment failed');
});

test('logs are found by a part of a word', async ({ page }) => {
  await page.goto(`${url}/logs?service=${SERVICE}`);
  const lines = page.locator('.loglist');
  await expect(lines).toContainText('doors are open');
  await page.getByRole('searchbox').first().fill('fail');
  await expect(page).toHaveURL(/fail/);
  await expect(lines).not.toContainText('doors are open');
  await expect(lines).toContainText('payment failed');
  await page.getByRole('searchbox').first().fill('"fail"');
  await expect(lines.getByText('payment failed')).toHaveCount(0);
});

/** Opens the editor of attributes and asks for what is typed in its first field. */
async function askAttribute(page: Page, typed: string): Promise<void> {
  await page
    .getByRole('button', { name: /Attribute/ })
    .first()
    .click();
  const field = page.getByRole('textbox', { name: 'Attribute' });
  await expect(field).toBeFocused();
  await field.fill(typed);
  await page.keyboard.press('Enter');
  await expect(field).toHaveCount(0);
}

test('traces are found by an attribute that is at least, is not or contains something', async ({ page }) => {
  const found = page.getByRole('region', { name: 'Found' }).locator(`a[href*="${TRACE}"]`).first();
  for (const [typed, isFound] of [
    ['http.response.status_code >= 502', true],
    ['http.response.status_code > 502', false],
    ['http.response.status_code == 402', true],
    ['http.response.status_code ~ 50', true],
    ['!http.response.status_code', false],
  ] as const) {
    await page.goto(`${url}/traces?service=${SERVICE}`);
    await expect(found).toBeVisible();
    await askAttribute(page, typed);
    await expect(page).toHaveURL(/attribute=/);
    await expect(found).toHaveCount(isFound ? 1 : 0);
  }
});

test('measurements with a trace stand at their values, also after another grouping or quantile', async ({ page }) => {
  const heights = async (): Promise<number> => {
    const tops = await page
      .locator('.mt-dots a')
      .evaluateAll((dots) => dots.map((dot) => Math.round(dot.getBoundingClientRect().top)));
    return tops.length < WAITS.length ? 0 : new Set(tops).size;
  };
  await page.goto(`${url}/metric-explorer?metric=${METRIC}`);
  await page.mouse.move(0, 0);
  await expect.poll(heights).toBe(WAITS.length);
  await page.getByRole('button', { name: 'group' }).first().focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/by=/);
  await expect.poll(heights).toBe(WAITS.length);
  await page.getByRole('combobox', { name: 'Quantile' }).selectOption('0.5');
  await expect(page).toHaveURL(/q=0\.5/);
  await expect.poll(heights).toBe(WAITS.length);
});
