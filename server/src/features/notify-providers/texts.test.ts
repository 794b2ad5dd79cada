import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connection } from '#kernel';
import type { OutboundRequest } from '#outbound';
import { createProviders } from './index.ts';
import { mailOf } from './others/email-texts.ts';
import { INCIDENT, messageOf, SECRETS, type SimulatedKind } from './test-providers.ts';

/** What stands in each provider's own form, as it leaves. */

const HOSTILE = messageOf(
  { words: 'By <@U1> [Ada](https://evil.example) {code}', isPossibleRepeat: true },
  { title: '<!channel> *b* [~admin] {noformat} [code]<b>x</b>[/code] & more', site: null, planes: ['otlp'], severity: 'warning' },
);
const MESSAGES = {
  plain: messageOf({ words: 'The cause is probably the deploy of shop 2.14.' }),
  hostile: HOSTILE,
  together: messageOf({ together: [{ ...INCIDENT, number: 95, title: 'Oslo is slow', url: 'https://observe.example/95' }] }),
};

const TO: Readonly<Record<SimulatedKind, Connection>> = {
  pager_a: { url: 'https://pager.example', credential: SECRETS.routing, settings: {} },
  pager_b: { url: 'https://pager.example', credential: SECRETS.genie, settings: {} },
  chat_a: { url: 'https://chat.example/api?channel=C0123456789', credential: SECRETS.bot, settings: {} },
  chat_b: { url: '', credential: `https://chat.example/flow?sig=${SECRETS.sig}`, settings: {} },
  ticket_a: { url: 'https://ticket.example', credential: `svc:${SECRETS.password}`, settings: {} },
  ticket_b: { url: 'https://ticket.example?project=OPS', credential: `bot@example.com:${SECRETS.token}`, settings: {} },
  webhook: { url: 'https://hook.example', credential: SECRETS.webhook, settings: {} },
};

async function bodyOf(kind: SimulatedKind, message: keyof typeof MESSAGES): Promise<unknown> {
  const sent: OutboundRequest[] = [];
  const refuse = async () => ({ ok: false, fault: 'connect', message: '', mayHaveArrived: false }) as const;
  const outbound = {
    send: (request: OutboundRequest) => {
      sent.push(request);
      return refuse();
    },
    connect: () => refuse(),
  };
  const provider = createProviders({ outbound, now: () => 0 })[kind];
  await provider.open(provider.parse(TO[kind]), MESSAGES[message]);
  return JSON.parse(sent[0]?.body ?? 'null');
}

/** Kept as files, so that a person reads what leaves; `vitest -u` writes them anew. */
const TEXTS = join(import.meta.dirname, '../../../../testkit/fixtures/texts');
const kept = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

describe('an incident', () => {
  it.each(Object.keys(TO) as SimulatedKind[])('reads at %s as it always did', async (kind) => {
    const names = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[];
    const shown = names.filter((name) => name !== 'together' || kind.startsWith('chat'));
    const bodies = await Promise.all(shown.map(async (name) => [name, await bodyOf(kind, name)]));
    await expect(kept(Object.fromEntries(bodies))).toMatchFileSnapshot(join(TEXTS, `${kind}.json`));
  });

  it('reads in mails as it always did', async () => {
    const mails = Object.entries(MESSAGES).flatMap(([name, message]) =>
      (['open', 'resolve'] as const).map((verb) => [`${name}, ${verb}`, mailOf(message, verb, 'example.com')]),
    );
    await expect(kept(Object.fromEntries(mails))).toMatchFileSnapshot(join(TEXTS, 'email.json'));
  });
});
