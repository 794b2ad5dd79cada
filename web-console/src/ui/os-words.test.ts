import { expect, it } from 'vitest';
import { osWords } from './os-words.ts';

it('calls a system by its name once', () => {
  expect(osWords('linux', 'Debian GNU/Linux 12')).toBe('Debian GNU/Linux 12');
  expect(osWords('win32', '11')).toBe('Windows 11');
  expect(osWords('darwin', null)).toBe('macOS');
  expect(osWords(null, null)).toBe('');
});
