import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';

export interface ApiClient {
  /** GET of a path; throws on anything but 200. */
  get(path: string): Promise<unknown>;
  close(): void;
}

/** A client that keeps its connection, trusts the server's own authority and shows an API token. */
export function createApiClient({ url, dataDir }: { url: string; dataDir: string }, token: string): ApiClient {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(join(dataDir, 'tls', 'ca.crt')) });
  return {
    get: (path) =>
      new Promise((resolve, reject) => {
        const call = request(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
          let body = '';
          answer.setEncoding('utf8');
          answer.on('data', (part: string) => {
            body += part;
          });
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve(JSON.parse(body));
            else reject(new Error(`${path}: ${answer.statusCode} ${body.slice(0, 300)}`));
          });
        });
        call.once('error', reject);
        call.end();
      }),
    close: () => agent.destroy(),
  };
}

export interface Latencies {
  count: number;
  p50Ms: number;
  p95Ms: number;
  maxMs: number;
}

const page = { sort: [{ column: 'verdict', desc: false }], limit: 50 };
const FLEET_PAGE = `/trpc/endpoint.list?input=${encodeURIComponent(JSON.stringify(page))}`;
const SUMMARY = `/trpc/endpoint.summary?input=${encodeURIComponent('{}')}`;

/** Asks for the fleet page and its summary in turn, one after the other with a pause, until it is stopped. */
export function watchApi(api: ApiClient, pauseMs: number): { stop(): Latencies } {
  const times: number[] = [];
  let stopped = false;
  const turn = async (): Promise<void> => {
    for (let at = 0; !stopped; at += 1) {
      const begunMs = performance.now();
      await api.get(at % 2 === 0 ? FLEET_PAGE : SUMMARY);
      times.push(performance.now() - begunMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const failed = turn().catch((error: unknown) => error);
  return {
    stop() {
      stopped = true;
      failed.then((error) => error && process.stderr.write(`the API failed: ${error}\n`));
      const sorted = times.sort((a, b) => a - b);
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
      return { count: sorted.length, p50Ms: at(0.5), p95Ms: at(0.95), maxMs: at(1) };
    },
  };
}
