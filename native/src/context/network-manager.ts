import { measured, type Reading, unavailable } from '../reading.ts';

/** NMMetered of libnm's nm-dbus-interface.h; guesses are the manager's own reading of the connection. */
const METERED: Readonly<Record<string, boolean>> = { '1': true, '2': false, '3': true, '4': false };

export const METERED_QUESTION = [
  '--system',
  '--timeout=1',
  'get-property',
  'org.freedesktop.NetworkManager',
  '/org/freedesktop/NetworkManager',
  'org.freedesktop.NetworkManager',
  'Metered',
] as const;

/** Parses busctl's answer, such as `u 4`. */
export function meteredReading(answer: string | undefined): Reading<boolean> {
  const found = METERED[/^u (\d+)\s*$/.exec(answer ?? '')?.[1] ?? ''];
  return found === undefined ? unavailable('not_supported') : measured(found);
}
