import { measured, type Reading, unavailable } from '../reading.ts';

/** One folder of /sys/class/power_supply, file by file. */
export type PowerSupply = Readonly<Partial<Record<'type' | 'online' | 'status' | 'scope', string>>>;

const LINES = new Set(['Mains', 'USB', 'Wireless']);

/** On battery: no line is plugged in and the machine's own battery says that it discharges, or has a line that is pulled. */
export function batteryReading(supplies: readonly PowerSupply[]): Reading<boolean> {
  const lines = supplies.filter(({ type }) => LINES.has(type ?? ''));
  // Batteries of mice and headsets have the scope "Device".
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  if (lines.some(({ online }) => online === '1' || online === '2')) return measured(false);
  if (batteries.some(({ status }) => status === 'Discharging')) return measured(true);
  if (lines.length > 0 && batteries.length > 0) return measured(true);
  const charged = batteries.some(({ status }) => status === 'Charging' || status === 'Full' || status === 'Not charging');
  return charged ? measured(false) : unavailable('not_supported');
}
