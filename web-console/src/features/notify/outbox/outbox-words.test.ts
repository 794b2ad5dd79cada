import { PROVIDERS } from '@svc/contracts/notify/kinds';
import { MESSAGE_STATES } from '@svc/contracts/notify/outbox';
import { expect, it } from 'vitest';
import { decodeOutboxSearch } from './outbox-search.ts';
import { causeWords, describeRest, describeState, groupOf, mayGiveUp, mayRetry, shortKey } from './outbox-words.ts';
import { MESSAGE_STATE_NAMES } from './state-names.ts';
import { messageOf } from './test-messages.ts';

it('knows every state that a message can have', () => {
  expect([...MESSAGE_STATE_NAMES].sort()).toEqual([...MESSAGE_STATES].sort());
});

it('tells sent, accepted and confirmed apart, at each provider', () => {
  for (const provider of PROVIDERS) {
    const words = (['sent', 'accepted', 'confirming', 'confirmed'] as const).map((state) =>
      describeState(messageOf({ state, connector: { id: 'c', name: 'C', provider } })),
    );
    expect(new Set(words).size).toBe(4);
  }
  const teams = messageOf({ state: 'accepted', connector: { id: 'c', name: 'Shops', provider: 'chat_b' } });
  expect(describeState(teams)).toBe('Teams took it, and never reports whether it was posted.');
});

it('says why a message was not sent, and what can be done', () => {
  const held = messageOf({ state: 'held_back', why: 'it came from there' });
  expect(describeState(held)).toBe('It was not sent on purpose: it came from there.');
  expect([mayRetry(held), mayGiveUp(held)]).toEqual([false, false]);
  const dead = messageOf({ state: 'dead', why: 'it was not taken within a day' });
  expect(describeState(dead)).toBe('It is not tried any more: it was not taken within a day. PagerDuty may not know.');
  expect([mayRetry(dead), mayGiveUp(dead)]).toEqual([true, true]);
  const asked = messageOf({ state: 'confirming' });
  expect([mayRetry(asked), mayGiveUp(asked)]).toEqual([false, true]);
  expect(describeState(messageOf({ state: 'waiting', attempts: 2 }))).toMatch(/^It was not taken at 2 attempts/);
});

it('reads and groups what the address asks for', () => {
  const search = decodeOutboxSearch({ state: ['waiting', 'confirming', 'lost'], incident: 'x', connector: 'c1', more: '1' });
  expect(search).toEqual({ state: ['waiting', 'confirming'], connector: 'c1' });
  expect(groupOf(search.state)).toBe('waiting');
  expect(groupOf(undefined)).toBe('all');
  expect(groupOf(['sent'])).toBeUndefined();
});

it('names what happened, what is left and a key', () => {
  expect(causeWords({ cause: 'signal_joined', verb: 'update' })).toBe('Another signal');
  expect(causeWords({ cause: 'of_tomorrow', verb: 'resolve' })).toBe('Resolved');
  expect(describeRest({ waiting: 0, dead: 0, sent: 1200, held_back: 3, possible_repeats: 1 })).toBe(
    '1,200 sent, 3 held back by the rules of behaviour, 1 possible repeat. Kept for 90 days.',
  );
  expect(shortKey('svc-0197a000-0000-7000-8000-00000000abcd')).toBe('svc-…00abcd');
});
