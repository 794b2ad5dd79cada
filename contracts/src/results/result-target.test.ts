import { expect, test } from 'vitest';
import { targetOf } from './result-target.ts';

const of = (server_address?: string, server_port?: number, url?: string) =>
  targetOf({
    ...(server_address === undefined ? {} : { server_address }),
    ...(server_port === undefined ? {} : { server_port }),
    attributes: url === undefined ? {} : { 'url.full': url },
  });

test.each([
  [of(), ''],
  [of('198.51.100.7'), '198.51.100.7'],
  [of('app.example', 443, 'https://app.example/'), 'app.example'],
  [of('app.example', 443, 'https://app.example'), 'app.example'],
  [of('app.example', 443, 'https://app.example?x=1'), 'app.example'],
  [of('app.example', 8443, 'https://app.example:8443/'), 'app.example:8443'],
  [of('app.example', 443, 'https://app.example/mail?user=1#top'), 'app.example/mail'],
  [of('app.example', 443, 'no url'), 'app.example'],
])('%j', (target, expected) => {
  expect(target).toBe(expected);
});
