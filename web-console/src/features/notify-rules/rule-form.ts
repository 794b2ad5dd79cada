import type { Plane, Severity } from '@svc/contracts/incidents/kinds';
import type { Rule, RuleBody } from '@svc/contracts/notify/rule';
import { isClock, readClock } from '../../ui/moments/clock.ts';

/** A rule as it is edited; what is switched off keeps what was typed. */
export interface RuleForm {
  name: string;
  enabled: boolean;
  severity: Severity;
  severityMost: Severity;
  planes: Plane[];
  targets: string;
  sites: string;
  isScheduled: boolean;
  zone: string;
  days: number[];
  from: string;
  to: string;
  delay: string;
  unit: DelayUnit;
  isQuiet: boolean;
  quietZone: string;
  quietFrom: string;
  quietTo: string;
  isForAll: boolean;
  connectors: string[];
}

const SECONDS = { s: 1, min: 60, h: 3600 } as const;
export type DelayUnit = keyof typeof SECONDS;
export const DELAY_UNITS = Object.keys(SECONDS) as readonly DelayUnit[];
/** As the contract has them. */
const MOST_DELAY_S = 86_400;
const MOST_GLOBS = 50;
const MOST_GLOB = 253;
const WORKDAYS = [1, 2, 3, 4, 5];

export const newRule = (zone: string): RuleForm => ({
  ...{ name: '', enabled: true, severity: 'warning', severityMost: 'critical', planes: [], targets: '', sites: '' },
  ...{ isScheduled: false, zone, days: WORKDAYS, from: '08:00', to: '18:00', delay: '0', unit: 'min' },
  ...{ isQuiet: false, quietZone: zone, quietFrom: '22:00', quietTo: '06:00', isForAll: true, connectors: [] },
});

/** In the largest unit that leaves no rest. */
function delayOf(seconds: number): Pick<RuleForm, 'delay' | 'unit'> {
  const unit = seconds > 0 && seconds % SECONDS.h === 0 ? 'h' : seconds % SECONDS.min === 0 ? 'min' : 's';
  return { delay: String(seconds / SECONDS[unit]), unit };
}

export function formOf(rule: Rule, zone: string): RuleForm {
  const { schedule, quiet } = rule;
  const empty = newRule(zone);
  return {
    ...{ name: rule.name, enabled: rule.enabled, severity: rule.severity },
    ...{ severityMost: rule.severity_most, planes: rule.planes },
    ...{ targets: rule.targets.join(', '), sites: rule.sites.join(', ') },
    ...{ isScheduled: schedule !== null, zone: schedule?.time_zone ?? zone, days: schedule?.days ?? empty.days },
    ...{ from: schedule?.from ?? empty.from, to: schedule?.to ?? empty.to, ...delayOf(rule.delay_seconds) },
    ...{ isQuiet: quiet !== null, quietZone: quiet?.time_zone ?? zone },
    ...{ quietFrom: quiet?.from ?? empty.quietFrom, quietTo: quiet?.to ?? empty.quietTo },
    ...{ isForAll: rule.connectors.length === 0, connectors: rule.connectors },
  };
}

const globsOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

export const bodyOf = (form: RuleForm): RuleBody => ({
  ...{ severity: form.severity, severity_most: form.severityMost, planes: form.planes },
  ...{ targets: globsOf(form.targets), sites: globsOf(form.sites) },
  schedule: form.isScheduled
    ? {
        time_zone: form.zone.trim(),
        days: form.days.toSorted((a, b) => a - b),
        from: readClock(form.from),
        to: readClock(form.to),
      }
    : null,
  delay_seconds: Math.round(Number(form.delay) * SECONDS[form.unit]),
  quiet: form.isQuiet ? { time_zone: form.quietZone.trim(), from: readClock(form.quietFrom), to: readClock(form.quietTo) } : null,
  connectors: form.isForAll ? [] : form.connectors,
});

export type RuleFaults = Partial<Record<keyof RuleForm, string>>;

function globFault(text: string): string | undefined {
  const globs = globsOf(text);
  if (globs.length > MOST_GLOBS) return `${MOST_GLOBS} at most, separated by commas`;
  return globs.some((glob) => glob.length > MOST_GLOB) ? `Each has ${MOST_GLOB} characters at most` : undefined;
}

const isZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
};

function spanFaults(span: { zone: string; from: string; to: string }): { zone?: string; from?: string; to?: string } {
  return {
    ...(isZone(span.zone.trim()) ? {} : { zone: 'A time zone such as Europe/Berlin' }),
    ...(isClock(readClock(span.from)) ? {} : { from: 'A time such as 22:30' }),
    ...(isClock(readClock(span.to)) ? {} : { to: 'A time such as 06:00' }),
  };
}

/** What is wrong of a rule, by field; its name apart, without which it can be tried all the same. `known`: ids of connectors that there are. */
export function faultsOf(form: RuleForm, known: ReadonlySet<string>): RuleFaults {
  const faults: RuleFaults = {};
  const targets = globFault(form.targets);
  const sites = globFault(form.sites);
  if (targets) faults.targets = targets;
  if (sites) faults.sites = sites;
  const seconds = Number(form.delay) * SECONDS[form.unit];
  if (!/^\d+(\.\d+)?$/.test(form.delay.trim()) || !(seconds <= MOST_DELAY_S)) faults.delay = '0 to 24 h';
  if (form.isScheduled) {
    Object.assign(faults, spanFaults(form));
    if (form.days.length === 0) faults.days = 'At least one day of the week';
  }
  if (form.isQuiet) {
    const { zone, from, to } = spanFaults({ zone: form.quietZone, from: form.quietFrom, to: form.quietTo });
    if (zone) faults.quietZone = zone;
    if (from) faults.quietFrom = from;
    if (to) faults.quietTo = to;
  }
  if (!form.isForAll && form.connectors.length === 0) faults.connectors = 'Choose a connector';
  else if (!form.isForAll && form.connectors.some((id) => !known.has(id)))
    faults.connectors = 'Take out the connector that was deleted';
  return faults;
}

/** Fields of the form by what the server calls them. */
const FIELD_OF: readonly (readonly [RegExp, keyof RuleForm])[] = [
  [/^name$/, 'name'],
  [/^targets/, 'targets'],
  [/^sites/, 'sites'],
  [/^schedule\.time_zone/, 'zone'],
  [/^schedule\.days/, 'days'],
  [/^quiet\.time_zone/, 'quietZone'],
  [/^delay_seconds/, 'delay'],
  [/^connectors/, 'connectors'],
];

export function faultsFrom(refused: readonly { path: string; message: string }[]): RuleFaults {
  return Object.fromEntries(
    refused.flatMap(({ path, message }) => {
      const field = FIELD_OF.find(([pattern]) => pattern.test(path))?.[1];
      return field ? [[field, message]] : [];
    }),
  );
}
