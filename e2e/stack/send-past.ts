import { expect, type Page } from '@playwright/test';
import { createMemorySpool, type EndpointResult, encodeRecord } from '@svc/desktop-agent/headless';
import { uuidv7 } from 'uuidv7';
import { enrolDevice, startSender } from '../faults/senders.ts';

/** A result of this moment, Unix milliseconds. */
export const resultAt = (ms: number, part: Partial<EndpointResult>): EndpointResult => ({
  result_id: uuidv7(),
  canary_type: 'endpoint.gateway',
  started_at: new Date(ms).toISOString(),
  present: true,
  metrics: {},
  attributes: {},
  ...part,
});

/** A cold session to crm.example that took so long; with a phase it failed there. */
export const sessionAt = (ms: number, totalMs: number, failedAt?: string): EndpointResult =>
  resultAt(ms, {
    canary_type: 'endpoint.session',
    server_address: 'crm.example',
    server_port: 443,
    success: failedAt === undefined,
    ...(failedAt === undefined ? {} : { error: 'CERT_HAS_EXPIRED' }),
    metrics:
      failedAt === undefined
        ? {
            ...{ 'dns.ms': totalMs * 0.05, 'connect.ms': totalMs * 0.15, 'tls.ms': totalMs * 0.2 },
            ...{ 'ttfb.ms': totalMs * 0.4, 'total.ms': totalMs },
          }
        : { 'dns.ms': 4, 'connect.ms': 12, 'total.ms': totalMs },
    attributes: { 'svc.session.role': 'target', ...(failedAt === undefined ? {} : { 'error.phase': failedAt }) },
  });

/** A path whose hops take so long, milliseconds. */
export const pathAt = (ms: number, rttMs: readonly number[]): EndpointResult =>
  resultAt(ms, {
    canary_type: 'endpoint.lastmile',
    server_address: '198.51.100.9',
    metrics: {
      ...{ hops: rttMs.length, 'segment.isp-edge.rtt.avg.ms': rttMs[1] ?? 0, 'segment.isp-edge.packet.loss.ratio': 0 },
      ...Object.fromEntries(
        rttMs.flatMap((rtt, index) => [
          [`hop.${index + 1}.rtt.avg.ms`, rtt],
          [`hop.${index + 1}.packet.loss.ratio`, 0],
        ]),
      ),
    },
    attributes: {
      ...{ 'network.trace.reached': 'true', 'network.trace.protocol': 'icmp' },
      ...Object.fromEntries(rttMs.map((_, i) => [`hop.${i + 1}.segment`, ['local', 'isp-edge'][i] ?? 'beyond'])),
      ...Object.fromEntries(rttMs.map((_, i) => [`hop.${i + 1}.address`, `10.20.${i}.1`])),
    },
  });

/** A verdict with its own words and the score of the layer that it blames. */
export const verdictAt = (ms: number, cause: string, summary: string): EndpointResult => {
  const scores = { 'score.wifi': 90, 'score.local': 88, 'score.isp': 91, 'score.network': 86 };
  const blamed = cause === 'none' ? {} : { [`score.${cause}`]: 22 };
  return resultAt(ms, {
    canary_type: 'endpoint.attribution',
    metrics: { confidence: 0.8, ...scores, ...blamed },
    attributes: { 'endpoint.cause': cause, 'endpoint.summary': summary },
  });
};

async function call(page: Page, path: string, input: unknown): Promise<unknown> {
  return await page.evaluate(
    async ([where, body]) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`/trpc/${where}`, { method: 'POST', headers, body: JSON.stringify(body) });
      return ((await answer.json()) as { result: { data: unknown } }).result.data;
    },
    [path, input] as const,
  );
}

/** Enrols a device that delivers these results, as one does that was offline; gives its id when all of them can be read. */
export async function sendPast(page: Page, url: string, results: readonly EndpointResult[]): Promise<string> {
  await page.goto(`${url}/settings`);
  const { token } = (await call(page, 'fleet.enrolTokens.create', { uses: 1 })) as { token: string };
  const credentials = await enrolDevice(url, token, 'KRK-LT-0042');
  const spool = createMemorySpool(64 << 20);
  await spool.append(results.map((result) => encodeRecord({ result, withheld: {} })));
  const sender = startSender({ credentials, spool });
  await expect.poll(() => sender.acknowledged.size).toBe(results.length);
  await sender.stop();
  const stored = async (): Promise<number> => {
    const from = new Date(Date.now() - 14 * 86_400_000).toISOString();
    const answer = await page.request.get(`${url}/v1/endpoints/${sender.agentId}/results?limit=1000&from=${from}`);
    return ((await answer.json()) as { items: unknown[] }).items.length;
  };
  await expect.poll(stored).toBe(results.length);
  return sender.agentId;
}

/** Takes the device out of the fleet again: other tests know of one device. */
export const retireDevice = async (page: Page, id: string): Promise<void> =>
  void (await call(page, 'fleet.agents.retire', { ids: [id] }));
