import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import { expect, it } from 'vitest';
import { createProviders } from './index.ts';

const DOCS = join(import.meta.dirname, '../../../../docs/notify');
const PAGES: Readonly<Record<ProviderKind, string>> = {
  ...{ pager_a: 'pagerduty', pager_b: 'opsgenie', chat_a: 'slack', chat_b: 'teams', ticket_a: 'servicenow' },
  ...{ ticket_b: 'jira', email: 'email', webhook: 'webhook' },
};
const never = () => Promise.reject(new Error('nothing is called'));

it('the page of each provider names every field of its form, and its parameter', () => {
  const providers = createProviders({ outbound: { send: never, connect: never } });
  const missing = Object.values(providers).flatMap(({ kind, fields }) => {
    const text = readFileSync(join(DOCS, `${PAGES[kind]}.md`), 'utf8');
    return fields
      .filter(({ name }) => !(kind === 'chat_b' && name === 'url'))
      .filter(({ name, label }) => {
        const parameter = name === 'url' ? 'address' : name === 'credential' ? '(credential|address)' : `\`${name}\``;
        return !new RegExp(`^\\| ${label} \\| ${parameter} \\|`, 'm').test(text);
      })
      .map(({ label }) => `${kind}: ${label}`);
  });
  expect(missing).toEqual([]);
});
