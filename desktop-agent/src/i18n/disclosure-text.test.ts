import { type CollectItem, DisclosureView } from '@svc/contracts/agent/ipc';
import { describe, expect, it } from 'vitest';
import { disclosureText, itemName, lastValue, originWords, readersWords, seenWords } from './disclosure-text.ts';
import { createWords } from './words.ts';

const now = new Date(2026, 10, 21, 14, 6).getTime();
const en = createWords('en');

const item = (over: Partial<CollectItem>): CollectItem => ({
  item: 'wifi',
  on: true,
  decidedBy: 'policy',
  yours: false,
  everySeconds: 60,
  targets: [],
  last: { text: '-79 dBm, LIS-LT-0143', atMs: now },
  ...over,
});
const view = (over: Partial<DisclosureView> = {}): DisclosureView =>
  DisclosureView.parse({
    policyVersion: 14,
    policyAtMs: new Date(2026, 10, 3).getTime(),
    items: [item({}), item({ item: 'path', on: false, everySeconds: null, last: null })],
    server: 'svc.example',
    organisation: 'Fennmark IT',
    readers: 4,
    keptDays: 30,
    ...over,
  });

describe('what is collected, in words', () => {
  it('writes figures as the language does and leaves names alone', () => {
    expect(lastValue(en, item({}))).toBe('Last: \u221279\u202fdBm, LIS-LT-0143, 14:06');
    const last = { text: '192.0.2.7, 12.5 ms, 0.5 %, 1300 ms, 007 net', atMs: item({}).last?.atMs ?? 0 };
    expect(lastValue(createWords('de'), item({ last }))).toContain('192.0.2.7, 12,5\u202fms, 0,5\u00a0%, 1.300\u202fms, 007 net');
  });

  it('tells "off" from "nothing yet" from "nobody chose a target"', () => {
    expect(lastValue(en, item({ on: false }))).toBe('Not collected');
    expect(lastValue(en, item({ last: null }))).toBe('Last: nothing sent yet');
    expect(lastValue(en, item({ item: 'session', last: null }))).toBe('Not measured: no service has been chosen.');
    expect(itemName(en, item({ item: 'path', targets: ['crm', 'mail'] }))).toBe('Path to 2 services');
    expect(itemName(en, item({ item: 'path' }))).toBe('Path to the internet');
  });

  it('says who reads it, or that nobody does', () => {
    expect(seenWords(en, view())).toBe(
      'Seen by Fennmark IT, 4 people. Readings kept for 30 days, hourly averages for 13 months.',
    );
    expect(seenWords(en, view({ readers: null, organisation: null }))).toBe(
      'Seen by your organisation. Readings kept for 30 days, hourly averages for 13 months.',
    );
    // Nobody has said how long before the first connection.
    expect(seenWords(en, view({ keptDays: null }))).toBe(
      'Seen by Fennmark IT, 4 people. It has not said yet how long readings are kept.',
    );
    expect(readersWords(en, view({ server: null }))).toContain('Nobody');
  });

  it('names the policy in force, also where a date ends with a full stop', () => {
    expect(originWords(en, view(), now)).toBe('Based on the settings in force now, policy 14 of 3 Nov.');
    expect(originWords(createWords('de'), view(), now)).toMatch(/vom 3\. Nov\.$/);
    expect(originWords(en, view({ policyVersion: 0 }), now)).toContain('No organisation has set a policy.');
  });

  it('is one text with every item, what never is, and who reads it', () => {
    const text = disclosureText(en, view(), now);
    expect(text).toContain('Wi-Fi signal: On, by IT\n  Signal, noise, link rate');
    expect(text).toContain('Never, whatever IT sets');
    expect(text).toContain('Seen by Fennmark IT');
  });
});
