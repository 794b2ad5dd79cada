import { LINK_STATES } from '@svc/contracts/notify/outbox';
import { expect, it } from 'vitest';
import { noticeOf } from '../test-incidents.ts';
import { describeNotice, describePending, plainNotice, stateNow } from './notice-words.ts';

const clock = (at: string): string => at.slice(11, 16);
const words = (...[more]: Parameters<typeof noticeOf>): string => plainNotice(describeNotice(noticeOf(more)), clock);
const chat = { id: 'c', name: '#network', provider: 'chat_a' } as const;
const desk = { id: 'd', name: 'Service desk', provider: 'ticket_b' } as const;

it('says who was paged, by whom it was taken there, and which ticket is open', () => {
  expect(words({ acknowledged_at: '2026-11-24T14:05:00.000Z', acknowledged_there_by: 'Ada' })).toBe(
    'Paged 14:03, acknowledged there by Ada 14:05',
  );
  expect(words({ connector: desk, external: { label: 'OPS-412', url: 'https://jira.example/browse/OPS-412' } })).toBe(
    'Opened OPS-412 14:03',
  );
  expect(words({ connector: chat, told: 'accepted' })).toBe('Posted 14:03 (accepted, not confirmed)');
  expect(words({ connector: desk, state: 'resolved', resolved_at: '2026-11-24T15:10:00.000Z', is_origin: true })).toBe(
    'Opened 14:03, resolved there first 15:10',
  );
  expect(words({ told_at: null, told: 'dead' })).toBe('Could not be told');
  expect(words({ told_at: null, told: 'waiting' })).toBe('To be told');
});

it('says what still waits or was given up, in the words of the provider', () => {
  const pending = (message: NonNullable<ReturnType<typeof noticeOf>['open_message']>): string =>
    plainNotice(describePending(noticeOf({ open_message: message })), clock);
  const at = '2026-11-24T14:39:00.000Z';
  expect(pending({ verb: 'open', state: 'waiting', next_at: at, said: '503 Service unavailable' })).toBe(
    'the first message waits, next 14:39: 503 Service unavailable',
  );
  expect(pending({ verb: 'resolve', state: 'dead', next_at: null, said: '403 Forbidden' })).toBe(
    'the end was given up: 403 Forbidden',
  );
  expect(describePending(noticeOf({}))).toEqual([]);
});

it('has a word and an icon for each state', () => {
  const seen = LINK_STATES.map((state) => stateNow(noticeOf({ state })).word);
  expect(new Set(seen).size).toBe(LINK_STATES.length);
  const dead = { verb: 'resolve', state: 'dead', next_at: null, said: '' } as const;
  expect(stateNow(noticeOf({ open_message: dead }))).toEqual({ icon: 'failed', word: 'dead', isBad: true });
});
