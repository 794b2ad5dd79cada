import { expect, it } from 'vitest';
import { isOwnOrigin } from './own-origin.ts';

it.each([
  [undefined, true],
  ['https://svc.example:8443', true],
  ['https://svc.example', false],
  ['http://svc.example:8443', false],
  ['https://evil.example', false],
  ['null', false],
  ['', false],
])('%s', (origin, expected) => expect(isOwnOrigin(origin, 'https://svc.example:8443/')).toBe(expected));
