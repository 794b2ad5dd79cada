import { expect, type Page } from '@playwright/test';
import { genericHeaders, githubEventOf, githubHeaders, readDelivery } from '@svc/testkit/forge-deliveries';
import { running } from './running.ts';

export interface Hook {
  address: string;
  secret: string;
}

/** Makes a webhook on its page, and reads address and secret where they are shown once. */
export async function makeHook(page: Page, { sender, name }: { sender: string; name: string }): Promise<Hook> {
  await page.goto(`${running().url}/change-webhooks`);
  await page.getByRole('button', { name: 'New webhook' }).click();
  await page.getByRole('button', { name: sender, exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  return await readShown(page, name);
}

/** Address and secret, where they are shown once. */
export async function readShown(page: Page, name: string): Promise<Hook> {
  const shown = page.getByRole('dialog', { name: `${name}: address and secret` });
  await expect(shown).toBeVisible();
  const [address = '', secret = ''] = await shown.locator('code').allTextContents();
  expect(address).toMatch(/^https:\/\/.*\/ingest\/changes\//);
  return { address, secret };
}

/** Sends bytes as they are; gives the status of the answer. */
async function send(page: Page, { address }: Hook, { body, headers }: { body: Buffer; headers: Record<string, string> }) {
  return (await page.request.post(address, { data: body, headers })).status();
}

interface Deployment {
  id: number;
  /** When it was created; what is told of it now. */
  createdMs: number;
  environmentUrl: string;
}

const seconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** A delivery of GitHub as it is in the fixtures, with ids, times and `environment_url` set; signed anew. */
function deliveryOf(name: string, { id, createdMs, environmentUrl }: Deployment): Buffer {
  const body = JSON.parse(readDelivery('github', name).toString('utf8')) as {
    deployment: Record<string, unknown>;
    deployment_status?: Record<string, unknown>;
  };
  const now = seconds(Date.now());
  Object.assign(body.deployment, { id, created_at: seconds(createdMs), updated_at: now });
  if (body.deployment_status)
    Object.assign(body.deployment_status, { id: id * 10, created_at: now, updated_at: now, environment_url: environmentUrl });
  return Buffer.from(JSON.stringify(body));
}

let sent = 0;

/** One of the fixtures' deliveries by GitHub's webhook. */
async function tellDeployment(page: Page, hook: Hook, { name, ...deployment }: Deployment & { name: string }) {
  const body = deliveryOf(name, deployment);
  sent += 1;
  const headers = githubHeaders(hook.secret, body, { event: githubEventOf(name), id: `delivery-${deployment.id}-${sent}` });
  return await send(page, hook, { body, headers });
}

/** What the fixtures' deployment is of. */
export const DEPLOY = 'Hello-World master (f95f852) to production';

/** GitHub tells of a deployment to a page: created, under way, done. */
export async function tellOfDeploy(page: Page, hook: Hook, environmentUrl: string): Promise<void> {
  const deployment = { id: Math.floor(Date.now() / 1000), createdMs: Date.now(), environmentUrl };
  for (const name of ['deployment.created.00', 'deployment_status.created.01', 'deployment_status.created.00'])
    expect(await tellDeployment(page, hook, { ...deployment, name: `${name}.json` }), name).toBe(202);
}

/** A change by a program of one's own, signed by the hook's secret. */
export async function tellChange(page: Page, hook: Hook, change: object) {
  const body = Buffer.from(JSON.stringify(change));
  return await send(page, hook, { body, headers: genericHeaders(hook.secret, body) });
}
