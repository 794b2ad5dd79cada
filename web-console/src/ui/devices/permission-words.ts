import type { MissingPermission } from '@svc/contracts/verdict';

const NAMES: Readonly<Record<MissingPermission, string>> = { location: 'location', local_network: 'local network' };

export const permissionName = (permission: MissingPermission): string => NAMES[permission];

const isMac = (os: string | null): boolean => /^(mac|darwin)/i.test(os ?? '');

/** What it is for, as the person would ask, and where it is switched on; the path depends on the system. */
const WHY: Readonly<Record<MissingPermission, string>> = {
  location:
    'Your system reports Wi-Fi quality only to programs that may use location services. Your position is never read and never sent.',
  local_network:
    'Your system lets programs reach the router next to you only with your consent. Nothing but its reply time is measured; other devices are left alone.',
};

function stepsOf(permission: MissingPermission, os: string | null): string {
  if (permission === 'local_network')
    return 'System Settings > Privacy & Security > Local Network, then switch on “Network check”.';
  return isMac(os)
    ? 'System Settings > Privacy & Security > Location Services, then switch on “Network check”.'
    : 'Settings > Privacy & security > Location, then switch on “Location services” and “Let desktop apps access your location”.';
}

/** A message that IT sends to the person at a device, plain text. */
export function permissionMessage(
  permissions: readonly MissingPermission[],
  device: { name: string | null; os: string | null },
): string {
  const parts = permissions.map((permission) => `${WHY[permission]}\nPlease open ${stepsOf(permission, device.os)}`);
  const which = device.name ? `your device ${device.name}` : 'your device';
  return [
    `Hello, to find out why something is slow, ${which} measures its own network. One permission is missing for that.`,
    ...parts,
    'It works within a minute, without a restart. You can pause it at any time, and read everything that was sent.',
  ].join('\n\n');
}
