import { expect, it } from 'vitest';
import { osWords } from './os-words.ts';

it('calls a system by its name once', () => {
  expect(osWords('linux', 'Debian GNU/Linux 12')).toBe('Debian GNU/Linux 12');
  expect(osWords('win32', '11')).toBe('Windows 11');
  expect(osWords('darwin', null)).toBe('macOS');
  expect(osWords('Ubuntu 24.04', '24.04.2')).toBe('Ubuntu 24.04.2');
  expect(osWords('macOS 15', '15.4')).toBe('macOS 15.4');
  expect(osWords('Windows 11', '24H2')).toBe('Windows 11 24H2');
  expect(osWords(null, null)).toBe('');
});
