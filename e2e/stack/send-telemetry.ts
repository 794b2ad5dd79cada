import { expect, type Page } from '@playwright/test';

const attributes = (service: string) => [{ key: 'service.name', value: { stringValue: service } }];

/** One request, one log record and one gauge of a service, a minute old. */
function bodiesOf(service: string): Readonly<Record<Signal, object>> {
  const ms = Date.now() - 60_000;
  const at = `${ms}000000`;
  const resource = { attributes: attributes(service) };
  const span = {
    ...{ traceId: 'd'.repeat(32), spanId: 'd'.repeat(16), name: 'GET /stock', kind: 2 },
    ...{ startTimeUnixNano: at, endTimeUnixNano: `${ms + 40}000000` },
  };
  const record = { timeUnixNano: at, severityNumber: 9, severityText: 'INFO', body: { stringValue: 'stock was counted' } };
  const gauge = { dataPoints: [{ timeUnixNano: at, asDouble: 7, attributes: [{ key: 'aisle', value: { stringValue: 'a' } }] }] };
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] },
    logs: { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] },
    metrics: { resourceMetrics: [{ resource, scopeMetrics: [{ metrics: [{ name: `${service}.level`, gauge }] }] }] },
  };
}

export type Signal = 'traces' | 'logs' | 'metrics';

/** Sends OTLP/JSON with a token of its own, of this name; needs a session in the page. */
export async function openSender(
  page: Page,
  { url, name }: { url: string; name: string },
): Promise<(signal: Signal, data: object) => Promise<void>> {
  await page.goto(`${url}/otlp`);
  const { token, endpoint } = await page.evaluate(async (label) => {
    const call = async (path: string, init?: RequestInit): Promise<unknown> =>
      ((await (await fetch(`/trpc/${path}`, init)).json()) as { result: { data: unknown } }).result.data;
    const headers = { 'content-type': 'application/json' };
    const minted = await call('otlp.tokens.mint', { method: 'POST', headers, body: JSON.stringify({ name: label }) });
    const status = (await call('otlp.status?input=%7B%7D')) as { listeners: { transport: string; address: string }[] };
    const http = status.listeners.find(({ transport }) => transport === 'http');
    return { token: (minted as { token: string }).token, endpoint: `https://${http?.address}` };
  }, name);
  return async (signal, data) => {
    const sent = await page.request.post(`${endpoint}/v1/${signal}`, { headers: { authorization: `Bearer ${token}` }, data });
    expect(sent.status(), signal).toBe(200);
  };
}

/** Waits until the spans of a trace can be read. */
export async function waitForTrace(page: Page, { url, id }: { url: string; id: string }): Promise<void> {
  const stored = async (): Promise<number> => (await page.request.get(`${url}/v1/otlp/traces/${id}`)).status();
  await expect.poll(stored).toBe(200);
}

/** Sends a little of each signal under a name of its own, with a token of its own, and waits until it can be read. */
export async function sendTelemetry(page: Page, { url, service }: { url: string; service: string }): Promise<void> {
  const send = await openSender(page, { url, name: service });
  for (const [signal, data] of Object.entries(bodiesOf(service))) await send(signal as Signal, data);
  await waitForTrace(page, { url, id: 'd'.repeat(32) });
}
