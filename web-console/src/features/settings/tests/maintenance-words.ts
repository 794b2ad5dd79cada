import type { MaintenanceTimes, MaintenanceWindow } from '@svc/contracts/tests/keeping';
import { formatDuration, formatSpan, joinWords } from '../../../ui/words/format.ts';

export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

const dayName = (day: number): string => WEEKDAYS[day - 1] ?? `day ${day}`;

/** "Sundays from 02:00 for 2 h, Europe/Lisbon", or the span of one that comes once. */
export function timesWords(times: MaintenanceTimes, zone: string, now: number): string {
  if (times.repeat === 'once') return formatSpan(times.from, times.to, now);
  const days = times.weekdays.length === 7 ? 'Daily' : joinWords([...times.weekdays].sort().map((day) => `${dayName(day)}s`));
  return `${days} from ${times.from} for ${formatDuration(times.duration_minutes * 60_000)}, ${zone}`;
}

/** What signals are held back of. `testName`: of the test whose own window it is. */
export function scopeWords({ scope }: Pick<MaintenanceWindow, 'scope'>, testName: (id: string) => string): string {
  if (scope.kind === 'test') return `Test ${testName(scope.test_id)}`;
  return scope.kind === 'target' ? `Target ${scope.target}` : `Site ${scope.site}`;
}
