import type { MaintenanceScope, MaintenanceTimes } from '@svc/contracts/tests/keeping';
import { canonicalHost } from '@svc/contracts/tests/target';
import { isActive, nextSpan, type Span, spansWithin } from './maintenance-times.ts';

/** A window as it is kept. */
export interface KeptWindow {
  id: string;
  name: string;
  scope: MaintenanceScope;
  times: MaintenanceTimes;
  zone: string;
}

export interface Subject {
  testId?: string | undefined;
  target?: string | undefined;
  site?: string | undefined;
}

/** Tells whether a scope is that of a subject. */
function coverage(scope: MaintenanceScope): (subject: Subject) => boolean {
  if (scope.kind === 'test') return ({ testId }) => scope.test_id === testId;
  if (scope.kind === 'site') {
    const wanted = scope.site.trim().toLowerCase();
    return ({ site }) => site?.trim().toLowerCase() === wanted;
  }
  const wanted = canonicalHost(scope.target);
  return ({ target }) => target !== undefined && canonicalHost(target) === wanted;
}

/** The window that holds back what is told of a subject at a time; undefined for none. */
export const findWindow = (windows: readonly KeptWindow[], subject: Subject, atMs: number): KeptWindow | undefined =>
  windows.find(({ scope, times, zone }) => coverage(scope)(subject) && isActive(times, zone, atMs));

/** Tells of many subjects whether a window covers them at a time, as a list of tests asks for. */
export function createCovering(windows: readonly KeptWindow[]): (subject: Subject, atMs: number) => boolean {
  let active: { atMs: number; scopes: readonly ((subject: Subject) => boolean)[] } | undefined;
  return (subject, atMs) => {
    if (active?.atMs !== atMs) {
      const open = windows.filter(({ times, zone }) => isActive(times, zone, atMs));
      active = { atMs, scopes: open.map(({ scope }) => coverage(scope)) };
    }
    return active.scopes.some((isOf) => isOf(subject));
  };
}

/** Joins what overlaps. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1);
    if (last && span.fromMs <= last.toMs) last.toMs = Math.max(last.toMs, span.toMs);
    else joined.push({ ...span });
  }
  return joined;
}

/** Gives when windows cover a subject within a stretch of time, in order and none twice. */
export function coveredWithin(windows: readonly KeptWindow[], within: Span): (subject: Subject) => Span[] {
  // Times first: of many windows few touch a stretch, and a scope is compared for each of many tests.
  const touching = windows
    .map(({ scope, times, zone }) => ({ isOf: coverage(scope), spans: spansWithin(times, zone, within) }))
    .filter(({ spans }) => spans.length > 0);
  return (subject) => joinSpans(touching.filter(({ isOf }) => isOf(subject)).flatMap(({ spans }) => spans));
}

/** As a person reads it: name and end. */
export function describeWindow({ name, times, zone }: KeptWindow, atMs: number): string {
  const span = nextSpan(times, zone, atMs);
  const until = span ? ` until ${new Date(span.toMs).toISOString().slice(0, 16).replace('T', ' ')} UTC` : '';
  return `Maintenance: ${name}${until}`;
}
