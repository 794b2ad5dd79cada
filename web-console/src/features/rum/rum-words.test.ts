import { expect, it } from 'vitest';
import { rumRow, waitingRow } from '../../testing/rum-examples.ts';
import { boundWords, formatVital, rowState } from './rum-words.ts';
import { ratingOf } from './vital-rating.ts';

it('writes vitals with their unit, and bounds as people say them', () => {
  expect(formatVital('lcp', 5200)).toBe('5.2\u00a0s');
  expect(formatVital('inp', 168)).toBe('168\u202fms');
  expect(formatVital('cls', 0.041)).toBe('0.04');
  expect([boundWords('lcp', 2500), boundWords('lcp', 4000), boundWords('ttfb', 800)]).toEqual([
    '2.5\u00a0s',
    '4\u00a0s',
    '0.8\u00a0s',
  ]);
  expect([boundWords('inp', 200), boundWords('cls', 0.25)]).toEqual(['200\u202fms', '0.25']);
});

it('rates as the bounds say, which belong to the better side', () => {
  expect([ratingOf('lcp', 2500), ratingOf('lcp', 2501), ratingOf('lcp', 4000), ratingOf('lcp', 4001)]).toEqual([
    ...['good', 'needs_improvement', 'needs_improvement', 'poor'],
  ]);
});

it('says of a row what is known: never healthy of one that nobody visits', () => {
  expect(rowState(rumRow('shop')).word).toBe('Healthy');
  expect(rowState(waitingRow('shop')).word).toBe('Waiting for the first beacon');
  expect(rowState(rumRow('shop', { state: 'too_few', views: 9 })).word).toBe('Too few views: 9 of 20');
  expect(rowState(rumRow('shop', { state: 'quiet', views: 0 })).word).toBe('Gone quiet');
  const open = rowState(rumRow('shop', { state: 'too_few', verdict: 'user_only_synthetic_blind', views: 9 }));
  expect(open).toEqual({ word: 'Users hurt, tests blind, too few views now', icon: 'eyeOff', on: true });
});
