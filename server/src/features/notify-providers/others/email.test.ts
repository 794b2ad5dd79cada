import { type SmtpFault, startSmtp } from '@svc/testkit/providers/smtp';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Outcome } from '#kernel';
import { createProviders } from '../index.ts';
import { type Authority, HOST, makeAuthority, messageOf, openOutbound } from '../test-providers.ts';

let authority: Authority;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  authority = await makeAuthority();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const PASSWORD = 'planted-mail-password';

async function mailbox({ isImplicit = true, tls = authority.leaf } = {}) {
  const server = await startSmtp({ tls, host: HOST, isImplicit, user: 'svc', password: PASSWORD });
  closing.push(async () => {
    expect(server.breaches).toEqual([]);
    await server.close();
  });
  const provider = createProviders({ outbound: openOutbound(authority.ca) }).email;
  const to = provider.parse({
    url: `${server.url}?from=nos@example.com&to=a@example.com,b@example.com`,
    credential: `svc:${PASSWORD}`,
    settings: {},
  });
  return { server, provider, to };
}

/** Headers on one line each. */
const unfold = (raw: string): string => raw.replace(/\r\n[ \t]+/g, ' ');

describe('a mail', () => {
  it.each([true, false])('goes over TLS alone (from the first byte: %s) and is threaded', async (isImplicit) => {
    const { server, provider, to } = await mailbox({ isImplicit });
    expect(await provider.check(to)).toMatchObject({ is: 'sent' });
    expect(server.mails).toEqual([]);
    expect(await provider.open(to, messageOf())).toMatchObject({ is: 'sent' });
    expect(await provider.resolve(to, messageOf({ words: 'Resolved by Ada.' }), null)).toMatchObject({ is: 'sent' });
    expect(server.mails).toMatchObject([{ isSecure: true, from: 'nos@example.com', to: ['a@example.com', 'b@example.com'] }, {}]);
    const [opened = '', resolved = ''] = server.mails.map(({ raw }) => unfold(raw));
    const id = /^Message-ID: (<svc-.*>)/im.exec(opened)?.[1];
    expect(id).toBeDefined();
    expect(resolved).toContain(`In-Reply-To: ${id}`);
    expect(opened).toContain('Auto-Submitted: auto-generated');
    expect(server.objects().map(({ title, state }) => [title, state])).toEqual([
      ['Critical: checkout.shop.example does not answer (incident 94)', 'open'],
      ['Resolved: Critical: checkout.shop.example does not answer (incident 94)', 'resolved'],
    ]);
  });

  it('has no header, recipient or markup of a stranger', async () => {
    const { server, provider, to } = await mailbox();
    const title = 'x\r\nBcc: victim@example.com\r\n\r\n<script>alert(1)</script><img src="https://evil.example/pixel">';
    expect(await provider.open(to, messageOf({ words: title }, { title, target: title }))).toMatchObject({ is: 'sent' });
    const [mail] = server.mails;
    expect(mail?.to).toEqual(['a@example.com', 'b@example.com']);
    const [head = ''] = (mail?.raw ?? '').split('\r\n\r\n');
    expect(head).not.toMatch(/^Bcc:/im);
    const html = (mail?.raw ?? '').split('text/html')[1]?.replace(/=\r\n/g, '');
    expect(html).toContain('&lt;script&gt;');
    expect(html).not.toMatch(/<script|<img/i);
  });

  const FAULTS: readonly [string, SmtpFault, Outcome['is']][] = [
    ['is busy at its greeting', { at: 'greeting', answer: '421 4.3.2 Come back later' }, 'retry'],
    ['breaks off at its greeting', { at: 'greeting', cut: true }, 'retry'],
    ['refuses the log-in', { at: 'login', answer: '535 5.7.8 Authentication credentials invalid' }, 'broken_credential'],
    ['cannot check the log-in now', { at: 'login', answer: '454 4.7.0 Temporary authentication failure' }, 'retry'],
    ['does not know a recipient', { at: 'recipient', answer: '550 5.1.1 No such user' }, 'final'],
    ['greylists a recipient', { at: 'recipient', answer: '450 4.2.0 Greylisted' }, 'retry'],
    ['refuses the mail', { at: 'end', answer: '554 5.7.1 Refused by policy' }, 'final'],
    ['breaks off before it takes the mail', { at: 'data', cut: true }, 'retry'],
    ['breaks off once it has it', { at: 'end', cutAfter: true }, 'ambiguous'],
  ];
  it.each(FAULTS)('to a server that %s ends as what it is', async (_, fault, is) => {
    const { server, provider, to } = await mailbox();
    // Each of the two recipients is refused by its own fault.
    server.fail(fault);
    const outcome = await provider.open({ ...to, settings: { ...to.settings, to: 'a@example.com' } }, messageOf());
    expect(outcome).toMatchObject({ is });
    expect(JSON.stringify(outcome)).not.toContain(PASSWORD);
  });

  it('repeats under the same id, so that a mail system can drop it', async () => {
    const { server, provider, to } = await mailbox();
    await provider.open(to, messageOf());
    await provider.open(to, messageOf({ isPossibleRepeat: true }));
    const ids = server.mails.map(({ raw }) => /^Message-ID: (.*)$/im.exec(unfold(raw))?.[1]);
    expect(ids[0]).toBe(ids[1]);
  });

  it('does not go to a server with the certificate of another name, nor without TLS', async () => {
    for (const isImplicit of [true, false]) {
      const { server, provider, to } = await mailbox({ isImplicit, tls: authority.otherLeaf });
      expect(await provider.open(to, messageOf())).toMatchObject({ is: 'retry' });
      expect(server.mails).toEqual([]);
    }
  });

  it('needs addresses that are addresses', () => {
    const { email } = createProviders({ outbound: openOutbound(authority.ca) });
    const parse = (url: string, settings: Record<string, string>) => () => email.parse({ url, credential: '', settings });
    expect(parse('smtps://mail.example', { from: 'a@example.com', to: 'b@example.com' })).not.toThrow();
    expect(parse('https://mail.example', { from: 'a@example.com', to: 'b@example.com' })).toThrow('smtps://');
    expect(parse('smtps://mail.example', { from: 'a', to: 'b@example.com' })).toThrow('From');
    expect(parse('smtps://mail.example', { from: 'a@example.com', to: 'b@example.com\nBcc: c@example.com' })).toThrow();
    expect(parse('smtps://mail.example', { from: 'a@example.com', to: '' })).toThrow('To');
  });
});
