import { expect, it } from 'vitest';
import { createNetworkName } from './network-name.ts';

it('asks macOS once, by the file beside the service', () => {
  const loaded: string[] = [];
  let permission = 'not_asked';
  const ask = () => {
    permission = 'granted';
  };
  const name = createNetworkName('darwin', '/service', (file) => {
    loaded.push(file);
    return { createLocation: () => ({ permission: () => ({ value: permission }), ask }) };
  });
  expect(loaded).toEqual([]);
  expect(name.mayAsk()).toBe(true);
  name.ask();
  expect(name.mayAsk()).toBe(false);
  expect(loaded).toEqual(['/service/location.cjs']);
});

it('offers nothing where there is no such file, no such permission or no macOS', () => {
  const missing = (): never => {
    throw new Error('no such file');
  };
  const refused = () => ({ createLocation: () => ({ permission: () => ({ unavailable: 'not_supported' }), ask: missing }) });
  expect(createNetworkName('darwin', '/service', missing).mayAsk()).toBe(false);
  expect(createNetworkName('darwin', '/service', refused).mayAsk()).toBe(false);
  expect(createNetworkName('linux', '/service', missing).mayAsk()).toBe(false);
  expect(() => createNetworkName('win32', '/service', missing).ask()).not.toThrow();
});
