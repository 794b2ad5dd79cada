import { expect, it } from 'vitest';
import { splitUrl } from './split-url.ts';

it('settings are taken out of an address, and all else in it stays as it is', () => {
  const teams = 'https://x.example:443/workflows/a%2Fb/triggers?api-version=1&sp=%2Ftriggers&sig=a%2Bb-_c&channel=net%20ops';
  expect(splitUrl(teams, ['channel'])).toEqual({
    url: 'https://x.example:443/workflows/a%2Fb/triggers?api-version=1&sp=%2Ftriggers&sig=a%2Bb-_c',
    settings: { channel: 'net ops' },
  });
  expect(splitUrl('https://x.example?project=OPS', ['project'])).toEqual({
    url: 'https://x.example',
    settings: { project: 'OPS' },
  });
});
