import { createHmac } from 'node:crypto';
import type { KeptObject, SimulatedProvider } from './kept.ts';
import { type Answer, type Call, type ServerOptions, startServer } from './server.ts';

/** A receiver of signed webhooks as anybody would write it: Standard Webhooks with five minutes' tolerance, each id handled once. */
export interface ReceiverOptions extends ServerOptions {
  /** `whsec_` and base64. */
  secret: string;
}

const TOLERANCE_MS = 300_000;

interface Event {
  type: string;
  key: string;
  words: string;
  incident: { title: string; url: string };
}

const STATES: Readonly<Record<string, KeptObject['state']>> = {
  'incident.opened': 'open',
  'incident.reopened': 'open',
  'incident.acknowledged': 'acknowledged',
  'incident.resolved': 'resolved',
};

function isSigned({ headers, text }: Call, { secret, now = Date.now }: ReceiverOptions): boolean {
  const [id, seconds, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (Math.abs(Number(seconds) * 1000 - now()) > TOLERANCE_MS) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return given === `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${text}`).digest('base64')}`;
}

export async function startReceiver(options: ReceiverOptions): Promise<SimulatedProvider & { events: readonly unknown[] }> {
  const objects: KeptObject[] = [];
  const events: unknown[] = [];
  const handled = new Set<string>();
  const apply = ({ type, key, words, incident }: Event, atMs: number): void => {
    const known = objects.find((one) => one.key === key);
    if (!known) {
      const id = String(objects.length + 1);
      objects.push({
        id,
        name: id,
        key,
        state: STATES[type] ?? 'open',
        title: incident.title,
        text: incident.url,
        lines: [],
        atMs,
      });
      return;
    }
    known.state = STATES[type] ?? known.state;
    known.lines.push(`${type} ${words}`);
  };
  const server = await startServer(options, (call): Answer => {
    if (!isSigned(call, options)) return { status: 401, body: 'wrong signature' };
    const id = String(call.headers['webhook-id']);
    if (handled.has(id)) return { status: 200, body: 'known already' };
    handled.add(id);
    events.push(call.json);
    apply(call.json as Event, call.atMs);
    return { status: 200, body: 'taken' };
  });
  return { ...server, objects: () => objects, act: async () => undefined, events };
}
