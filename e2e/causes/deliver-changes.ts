import { createHmac, hash } from 'node:crypto';
import type { PlannedChange } from '@svc/simulator/causes/scenario';
import type { CausesProduct } from './open-product.ts';
import type { Played } from './settle-tenant.ts';

/** The commit that a change is found again by. */
export const refOf = ({ label }: Pick<PlannedChange, 'label'>): string => hash('sha1', label);

const sign = (secret: string, body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

async function post(
  { product }: CausesProduct,
  url: string,
  { body, headers }: { body: string; headers: Record<string, string> },
): Promise<void> {
  const answer = await product.http.app.inject({
    ...{ method: 'POST', url, payload: body },
    headers: { host: 'localhost:8443', 'content-type': 'application/json', ...headers },
  });
  if (answer.statusCode !== 202) throw new Error(`a delivery was answered ${answer.statusCode}: ${answer.body}`);
}

/** As GitHub tells of a deployment that went well. */
const githubBody = (change: PlannedChange, atMs: number): string =>
  JSON.stringify({
    action: 'created',
    deployment: {
      ...{
        id: Number.parseInt(refOf(change).slice(0, 8), 16),
        sha: refOf(change),
        ref: 'main',
        environment: 'production',
        task: 'deploy',
      },
      ...{ created_at: new Date(atMs).toISOString(), creator: { login: 'ann' } },
    },
    deployment_status: {
      state: 'success',
      environment: 'production',
      environment_url: `https://${change.target}/`,
      created_at: new Date(atMs + 20_000).toISOString(),
    },
    repository: { id: 7, full_name: 'acme/site', html_url: 'https://github.example/acme/site' },
    sender: { login: 'ann' },
  });

const genericEntry = (change: PlannedChange, atMs: number) => ({
  ...{ id: change.label, title: change.title, kind: change.kind, source: 'ci', ref: refOf(change), actor: 'bob' },
  ...(change.target === null ? {} : { target: change.target }),
  ...(change.prefix === null ? {} : { prefix: change.prefix }),
  occurred_at: new Date(atMs).toISOString(),
});

/** Delivers what happened until now, signed and by the product's own door. */
export async function deliverChanges(causes: CausesProduct, played: Played, nowMs: number): Promise<void> {
  const { scenario, onsetMs, webhooks, delivered } = played;
  const due = scenario.changes.filter((one) => onsetMs + one.atMs + 30_000 <= nowMs && !delivered.has(one.label));
  for (const { label } of due) delivered.add(label);
  const own = due.filter(({ via }) => via === 'generic').map((one) => genericEntry(one, onsetMs + one.atMs));
  if (own.length > 0) {
    const body = JSON.stringify(own);
    await post(causes, `/ingest/changes/generic/${webhooks.generic.id}`, {
      body,
      headers: { 'x-svc-signature': sign(webhooks.generic.secret, body) },
    });
  }
  for (const change of due.filter(({ via }) => via === 'forge_a')) {
    const body = githubBody(change, onsetMs + change.atMs);
    const headers = {
      'x-hub-signature-256': sign(webhooks.forge_a.secret, body),
      'x-github-event': 'deployment_status',
      'x-github-delivery': change.label,
    };
    await post(causes, `/ingest/changes/forge_a/${webhooks.forge_a.id}`, { body, headers });
  }
}
