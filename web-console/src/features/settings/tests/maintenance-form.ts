import type { MaintenanceSpec, MaintenanceWindow } from '@svc/contracts/tests/keeping';
import { isClock, readClock } from '../../../ui/moments/clock.ts';
import { viewerZone } from '../../../ui/moments/zone.ts';

/** A window as it is typed: all text, so that a draft keeps it. */
export interface WindowForm {
  name: string;
  scope: 'test' | 'target' | 'site';
  test: string;
  target: string;
  site: string;
  repeat: 'once' | 'weekly';
  /** In the viewer's zone, as an input of this kind holds it. */
  from: string;
  to: string;
  weekdays: number[];
  start: string;
  hours: string;
  zone: string;
}

const HOUR_MS = 3_600_000;

/** An instant as an input of the viewer's zone holds it: to the minute. */
const toLocal = (ms: number): string => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function emptyForm(nowMs: number): WindowForm {
  const next = Math.ceil(nowMs / HOUR_MS) * HOUR_MS;
  return {
    ...{ name: '', scope: 'target', test: '', target: '', site: '', repeat: 'once' },
    ...{ from: toLocal(next), to: toLocal(next + 2 * HOUR_MS), weekdays: [7], start: '02:00', hours: '2' },
    zone: viewerZone(),
  };
}

export function formOf(window: MaintenanceWindow, nowMs: number): WindowForm {
  const { name, scope, times, zone } = window;
  return {
    ...emptyForm(nowMs),
    ...{ name, zone, scope: scope.kind, repeat: times.repeat },
    ...(scope.kind === 'test' ? { test: scope.test_id } : {}),
    ...(scope.kind === 'target' ? { target: scope.target } : {}),
    ...(scope.kind === 'site' ? { site: scope.site } : {}),
    ...(times.repeat === 'once'
      ? { from: toLocal(Date.parse(times.from)), to: toLocal(Date.parse(times.to)) }
      : { weekdays: [...times.weekdays], start: times.from, hours: String(times.duration_minutes / 60) }),
  };
}

function scopeOf(form: WindowForm): MaintenanceSpec['scope'] {
  if (form.scope === 'test') return { kind: 'test', test_id: form.test };
  return form.scope === 'target' ? { kind: 'target', target: form.target.trim() } : { kind: 'site', site: form.site.trim() };
}

const instant = (local: string): string => new Date(local).toISOString();

/** Only of a form in which nothing is missing. */
export const toSpec = (form: WindowForm): MaintenanceSpec => ({
  name: form.name.trim(),
  scope: scopeOf(form),
  times:
    form.repeat === 'once'
      ? { repeat: 'once', from: instant(form.from), to: instant(form.to) }
      : {
          ...{ repeat: 'weekly', weekdays: [...form.weekdays].sort(), from: readClock(form.start) },
          duration_minutes: Math.round(Number(form.hours) * 60),
        },
  zone: form.zone.trim(),
});

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

/** The first thing that is missing or wrong. */
export function missingOf(form: WindowForm): string | undefined {
  if (form.name.trim() === '') return 'Give it a name';
  if (form[form.scope].trim() === '') return `Choose a ${form.scope}`;
  if (form.repeat === 'once') {
    const [from, to] = [Date.parse(form.from), Date.parse(form.to)];
    if (Number.isNaN(from) || Number.isNaN(to)) return 'Enter both times';
    return to > from ? undefined : 'The end must be after the start';
  }
  if (form.weekdays.length === 0) return 'Choose the days';
  if (!isClock(readClock(form.start))) return 'Enter when it begins';
  const hours = Number(form.hours);
  if (!(hours > 0 && hours <= 168)) return 'It lasts up to 168 hours';
  return isZone(form.zone.trim()) ? undefined : 'Name a time zone such as Europe/Lisbon';
}
