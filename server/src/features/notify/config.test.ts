import { expect, it } from 'vitest';
import { parseConnectors } from './config.ts';

it('connectors are told apart where a new one begins, whatever commas and bars an address or a credential holds', () => {
  const text =
    'acme|pager_a||key1, acme|ticket_b|https://j.example/rest/api/2?project=A,B&resolve_transition=auto|a@b.example:t|o,k,en,acme|email|smtps://mail.example|';
  expect(parseConnectors(text)).toEqual([
    { tenant: 'acme', provider: 'pager_a', url: '', credential: 'key1' },
    {
      ...{ tenant: 'acme', provider: 'ticket_b', url: 'https://j.example/rest/api/2?project=A,B&resolve_transition=auto' },
      credential: 'a@b.example:t|o,k,en',
    },
    { tenant: 'acme', provider: 'email', url: 'smtps://mail.example', credential: '' },
  ]);
});

it.each(['acme|pager_z|https://x.example|k', 'acme|pager_a', 'acme|chat_b|not an address|k', '|pager_a|https://x.example|k'])(
  'what is none is refused and not repeated: %s',
  (text) => {
    expect(() => parseConnectors(text)).toThrow(/must be|holds an address/);
  },
);
