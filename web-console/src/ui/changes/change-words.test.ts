import type { IncidentChanges } from '@svc/contracts/changes/change';
import { expect, it } from 'vitest';
import { aboutChange, placeOf, shortRef, tellLookedAt } from './change-words.ts';
import { changeOf } from './test-changes.ts';

const looked = (more: Partial<IncidentChanges['looked_at']>) =>
  tellLookedAt({
    ...{ items: [], anchors: [], window: { from: '', to: '', hours: 24, grace_minutes: 5 } },
    looked_at: { changes: 7, candidates: 4, elsewhere: 2, untargeted: 1, bounded: false, ...more },
  });

it('says what was looked at and what was dropped', () => {
  expect(looked({})).toBe(
    '7 changes in the 24 h before it and 5 min after its start: 4 fit, 2 happened elsewhere, 1 names no target.',
  );
  expect(looked({ changes: 1, candidates: 1, elsewhere: 0, untargeted: 0 })).toBe(
    '1 change in the 24 h before it and 5 min after its start: 1 fits.',
  );
  expect(looked({ bounded: true, candidates: 10_000 })).toContain('the newest 10000 were ranked');
});

it('says who changed what', () => {
  expect(aboutChange(changeOf({}))).toBe('acme/shop, production, f95f852, by ana, succeeded');
  expect(aboutChange(changeOf({ repository: null, environment: null, ref: 'v1.2', actor: null, state: null }))).toBe(
    'github, v1.2',
  );
  expect(placeOf({ target: 'shop.example', prefix: '10.0.0.0/8' })).toBe('shop.example, 10.0.0.0/8');
  expect(shortRef('v1')).toBe('v1');
});
