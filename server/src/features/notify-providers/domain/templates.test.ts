import { describe, expect, it } from 'vitest';
import { INCIDENT, messageOf } from '../test-providers.ts';
import { plainOf, summaryOf, textOf } from './templates.ts';

const lineOf = (parts: ReturnType<typeof summaryOf>): string => `${parts.before}${parts.title}${parts.after}`;

describe('the texts', () => {
  it('say what happened', () => {
    const text = textOf(messageOf({ words: 'The cause is probably the deploy of shop 2.14.' }), 'open');
    expect(`${plainOf(text)}\n${text.link.label}: ${text.link.url}`).toMatchInlineSnapshot(`
      "Incident 94 opened
      checkout.shop.example does not answer

      The cause is probably the deploy of shop 2.14.

      Severity: Critical
      Target: https://checkout.shop.example/health
      Network: 198.51.100.0/24
      Site: Oslo
      Seen by: synthetic tests, real users
      Signals: 3
      Started: 2026-11-26 13:58 UTC
      View incident 94: https://observe.example/t/acme/incidents/94"
    `);
  });

  it('name what was before, a repeat and those that share the message', () => {
    const former = { id: '10040', label: 'OPS-412', url: 'https://jira.example/browse/OPS-412' };
    const together = [
      { ...INCIDENT, number: 95, severity: 'warning' as const, title: 'Oslo is slow', url: 'https://observe.example/95' },
    ];
    const text = textOf(messageOf({ generation: 2, former, isPossibleRepeat: true, together }), 'open');
    expect(text.headline).toBe('Incident 94 and 1 more opened');
    expect(text.notes).toEqual([
      'Possible repeat: an earlier attempt may have arrived already.',
      'The incident is open again. Before: OPS-412 (https://jira.example/browse/OPS-412).',
    ]);
    expect(text.together).toEqual([{ line: 'Warning: incident 95, Oslo is slow', url: 'https://observe.example/95' }]);
  });

  it.each([
    ['open', 'Incident 94 opened'],
    ['update', 'Incident 94 still open'],
    ['acknowledge', 'Incident 94 acknowledged'],
    ['resolve', 'Incident 94 resolved'],
    ['reopen', 'Incident 94 open again'],
  ] as const)('of %s begin with it', (verb, headline) => {
    expect(textOf(messageOf(), verb).headline).toBe(headline);
  });

  it('of an update say that somebody has it', () => {
    expect(textOf(messageOf({}, { status: 'acknowledged' }), 'update').headline).toBe(
      'Incident 94 acknowledged, not resolved yet',
    );
  });

  it('never let a test look like an incident', () => {
    const test = messageOf({ isTest: true });
    expect(textOf(test, 'open').headline).toBe('Test of the connection (opened): this is no incident');
    expect(lineOf(summaryOf(test))).toMatch(/^TEST: /);
    expect(lineOf(summaryOf(messageOf()))).toBe('Critical: checkout.shop.example does not answer (incident 94)');
  });

  it('say to whoever is paged anew that it is no new incident', () => {
    expect(lineOf(summaryOf(messageOf({ generation: 2 })))).toBe(
      'Open again: Critical: checkout.shop.example does not answer (incident 94)',
    );
  });

  it('stay on one line where there is one, and say something where the title says nothing', () => {
    expect(summaryOf(messageOf({}, { title: 'a\nb\u0000' })).title).toBe('a b');
    expect(summaryOf(messageOf({}, { title: ' \n ' })).title).toBe('network incident');
  });
});
