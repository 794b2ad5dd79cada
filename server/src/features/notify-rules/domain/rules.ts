import { type Plane, SEVERITIES, type Severity } from '@svc/contracts/incidents/signal';
import type { RuleBody } from '@svc/contracts/notify/rule';
import { endOf, isWithin, localTime, minuteOf } from './local-time.ts';

export interface JudgedIncident {
  severity: Severity;
  planes: readonly Plane[];
  target: string | null;
  site: string | null;
}

export interface JudgingRule extends RuleBody {
  id: string;
  name: string;
  enabled: boolean;
}

export interface Told {
  dueMs: number;
  /** The rule that says so; null: there is none. */
  rule: string | null;
}

const MOST_GLOB = 253;

/** `*` stands for any text; letters are compared without case. Linear: no pattern makes it slow. */
export function fitsGlob(glob: string, text: string): boolean {
  const [first = '', ...rest] = glob.toLowerCase().split('*');
  const value = text.toLowerCase().slice(0, MOST_GLOB * 4);
  if (rest.length === 0) return value === first;
  if (!value.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop() ?? '';
  for (const part of rest) {
    const found = value.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return value.length - last.length >= at && value.endsWith(last);
}

const fitsAny = (globs: readonly string[], text: string | null): boolean =>
  globs.length === 0 || (text !== null && globs.some((glob) => fitsGlob(glob, text)));

/** Days belong to the evening on which a span begins. */
function isScheduled({ schedule }: RuleBody, atMs: number): boolean {
  if (schedule === null) return true;
  if (!isWithin(schedule, atMs)) return false;
  const { day, minute } = localTime(atMs, schedule.time_zone);
  const [begin, end] = [minuteOf(schedule.from), minuteOf(schedule.to)];
  const began = begin >= end && minute < end ? (day + 6) % 7 : day;
  return schedule.days.includes(began);
}

/** Whether a rule is about an incident, at a moment. */
export const matches = (rule: RuleBody, incident: JudgedIncident, atMs: number): boolean =>
  SEVERITIES.indexOf(incident.severity) >= SEVERITIES.indexOf(rule.severity) &&
  SEVERITIES.indexOf(incident.severity) <= SEVERITIES.indexOf(rule.severity_most) &&
  (rule.planes.length === 0 || rule.planes.some((plane) => incident.planes.includes(plane))) &&
  fitsAny(rule.targets, incident.target) &&
  fitsAny(rule.sites, incident.site) &&
  isScheduled(rule, atMs);

/** When a rule lets an incident be told: after its delay, and what is not critical not before its quiet hours end. */
export function dueOf(rule: RuleBody, { severity }: Pick<JudgedIncident, 'severity'>, atMs: number): number {
  const dueMs = atMs + rule.delay_seconds * 1000;
  const isQuiet = rule.quiet !== null && severity !== 'critical' && isWithin(rule.quiet, dueMs);
  return isQuiet && rule.quiet ? endOf(rule.quiet, dueMs) : dueMs;
}

/** Who is told of an incident, and when: of several rules the earliest. Without a rule everybody is told at once. */
export function decide(
  rules: readonly JudgingRule[],
  incident: JudgedIncident,
  { connectors, atMs }: { connectors: readonly string[]; atMs: number },
): Map<string, Told> {
  const told = new Map<string, Told>();
  const enabled = rules.filter((rule) => rule.enabled);
  if (enabled.length === 0) for (const id of connectors) told.set(id, { dueMs: atMs, rule: null });
  for (const rule of enabled) {
    if (!matches(rule, incident, atMs)) continue;
    const dueMs = dueOf(rule, incident, atMs);
    for (const id of rule.connectors.length === 0 ? connectors : rule.connectors) {
      const known = told.get(id);
      if (connectors.includes(id) && (!known || dueMs < known.dueMs)) told.set(id, { dueMs, rule: rule.id });
    }
  }
  return told;
}
