import { expect, it } from 'vitest';
import { permissionMessage } from './permission-words.ts';

it('tells the person what is missing, why, and where it is switched on', () => {
  const windows = permissionMessage(['location'], { name: 'LIS-LT-0139', os: 'Windows 11' });
  expect(windows).toContain('your device LIS-LT-0139');
  expect(windows).toContain('Let desktop apps access your location');
  expect(windows).toContain('Your position is never read');
  const mac = permissionMessage(['location', 'local_network'], { name: null, os: 'macOS 15' });
  expect(mac).toContain('Location Services, then');
  expect(mac).toContain('Local Network, then');
  expect(mac).not.toContain('desktop apps');
  expect(mac.split('\n\n')).toHaveLength(4);
});
