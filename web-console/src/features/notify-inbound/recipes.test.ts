import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { INBOUND_PROVIDERS } from '@svc/contracts/notify/kinds';
import { expect, it } from 'vitest';
import { INBOUND_CHOICES } from './inbound-words.ts';
import { curlRecipe, STEPS, scriptOf } from './recipes.ts';

const ADDRESS = 'https://svc.example/ingest/itsm/ticket_a/abc';
const SECRET = `it's a "secret" $HOME \\ of 16`;

it('has steps for whoever can call back', () => {
  expect([...INBOUND_CHOICES]).toEqual([...INBOUND_PROVIDERS]);
  for (const provider of INBOUND_PROVIDERS) expect(STEPS[provider].length).toBeGreaterThan(1);
});

it('gives commands that keep address and secret as they are', () => {
  const called = 'curl() { printf \'%s\\n\' "$@"; }';
  const said = execFileSync('sh', ['-c', `${called}\n${curlRecipe(ADDRESS, SECRET)}`], { encoding: 'utf8' });
  expect(said.split('\n')).toEqual(expect.arrayContaining([ADDRESS, `x-svc-token: ${SECRET}`]));
});

it('gives ServiceNow a script that runs, and sends what is read here', () => {
  const headers: Record<string, string> = {};
  const sent: { to?: string; body?: string } = {};
  class RESTMessageV2 {
    setEndpoint = (to: string) => Object.assign(sent, { to });
    setHttpMethod = () => {};
    setRequestHeader = (name: string, value: string) => Object.assign(headers, { [name]: value });
    setRequestBody = (body: string) => Object.assign(sent, { body });
    executeAsync = () => {};
  }
  const current = { getUniqueValue: () => 'id-1', getValue: (name: string) => (name === 'state' ? '6' : `of ${name}`) };
  runInNewContext(scriptOf('ticket_a', ADDRESS, SECRET) ?? '', { sn_ws: { RESTMessageV2 }, current, JSON });
  expect(sent.to).toBe(ADDRESS);
  expect(headers['X-Svc-Token']).toBe(SECRET);
  expect(JSON.parse(sent.body ?? '')).toMatchObject({ sys_id: 'id-1', state: '6', correlation_id: 'of correlation_id' });
});

it('is the script of the manual', () => {
  const manual = readFileSync(join(import.meta.dirname, '../../../..', 'docs/notify/servicenow.md'), 'utf8');
  expect(manual).toContain(scriptOf('ticket_a', 'ADDRESS', 'SECRET'));
});
