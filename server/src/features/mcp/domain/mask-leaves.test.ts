import { expect, it } from 'vitest';
import { type MaskedText, maskLeaves } from './mask-leaves.ts';

/** Addresses to a word, and whatever is called a password. */
const mask = async (texts: readonly string[]): Promise<MaskedText[]> =>
  texts.map((text) => {
    const masked = text.replaceAll(/\b10(\.\d+){3}\b/g, '[address]').replaceAll(/\bpassword[=:]\s*\S+/g, '[removed]');
    return { text: masked, counts: text.includes('password=') ? { credential: 1 } : masked === text ? {} : { ip_address: 1 } };
  });

it('masks each text where it stands, and counts what it masked', async () => {
  const answer = { items: [{ title: 'from 10.1.2.3', gateway: '10.1.2.3', count: 3, site: null }], ok: true };
  expect(await maskLeaves(answer, mask)).toEqual({
    value: { items: [{ title: 'from [address]', gateway: '[address]', count: 3, site: null }], ok: true },
    counts: { ip_address: 2 },
  });
});

it('takes the whole value where its name says that it is a credential', async () => {
  const answer = {
    attributes: [{ key: 'db.password', value: 'correct horse', type: 's' }],
    headers: { password: 'battery staple' },
  };
  expect((await maskLeaves(answer, mask)).value).toEqual({
    attributes: [{ key: 'db.password', value: '[removed]', type: 's' }],
    headers: { password: '[removed]' },
  });
});

it('masks names that are data, and loses none that read alike then', async () => {
  const answer = { '10.1.2.3': 1, '10.1.2.4': 2, title: 'a' };
  expect((await maskLeaves(answer, mask)).value).toEqual({ '[address]': 1, '[address] (2)': 2, title: 'a' });
});

it('lets nothing leave that was not masked', async () => {
  expect((await maskLeaves({ title: 'a' }, async () => [])).value).toEqual({ title: '[removed]' });
});
