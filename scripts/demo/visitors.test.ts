import { expect, it } from 'vitest';
import { ownApps } from './visitors.js';

it('counts and visits the apps of the demo alone, and none that somebody registered besides', () => {
  const items = ['my-page', 'shop', 'crm', 'careers', 'dealers'].map((name) => ({ name, keys: [] }));
  expect([...ownApps(items).keys()]).toEqual(['shop', 'crm', 'careers', 'dealers']);
});
