import type { Vital } from '@svc/contracts/rum/kinds';
import type { TenantId } from '#kernel';
import type { TimeSpan } from '#telemetry';
import type { WindowViews } from './domain/judge.ts';

/** What views of a group and a time came to. */
export interface Figures {
  app: string;
  host: string;
  /** Page or family of browsers; '' of all. */
  part: string;
  atMs: number;
  views: number;
  /** With an error or a failed request, with the one, with the other. */
  hurt: number;
  /** Those and the ones that waited for LCP as long as counts as hurt; undefined of times that hours answer. */
  affected: number | undefined;
  withErrors: number;
  withFailed: number;
  errors: number;
  failedRequests: number;
  vitals: Readonly<Record<Vital, VitalCounts>>;
}

export interface VitalCounts {
  views: number;
  good: number;
  poor: number;
  p75: number | undefined;
}

export interface HostOfApp {
  app: string;
  host: string;
}

/** Of one host and a time: all of it, and its parts, those with most views first. */
export interface HostFigures {
  all: Figures | undefined;
  pages: Figures[];
  browsers: Figures[];
}

export interface SeriesStep {
  atMs: number;
  /** In the step. */
  views: number;
  failedRequests: number;
  /** In the window that ends with it. */
  inWindow: number;
  hurt: number;
  p75: Readonly<Record<Vital, number | undefined>>;
  counts: Readonly<Record<Vital, number>>;
}

export interface Usual extends HostOfApp {
  /** Median of hours that had views, as of a window. */
  views: number;
  hours: number;
}

/** Port of the stored views. */
export interface ViewReader {
  /** Of every host, or of one; exact up to half a day, within 1 % beyond. `background` waits in the system's line. */
  everyHost(tenant: TenantId, span: TimeSpan & { background?: boolean }, of?: HostOfApp): Promise<Figures[]>;
  /** Of every host what it is judged by, without what came late; waits in the system's line. */
  judged(tenant: TenantId, span: TimeSpan): Promise<(HostOfApp & WindowViews)[]>;
  figures(tenant: TenantId, of: HostOfApp, span: TimeSpan): Promise<HostFigures>;
  /** Of one host, minutes with views in order; of up to half a day, in the system's line. */
  minutes(tenant: TenantId, of: HostOfApp, span: TimeSpan): Promise<Figures[]>;
  /** Steps with views in their window, in order. */
  series(tenant: TenantId, of: HostOfApp, query: TimeSpan & { stepMs: number }): Promise<SeriesStep[]>;
  /** Views that were stored more than five minutes after they came. */
  countLate(tenant: TenantId, of: HostOfApp, span: TimeSpan): Promise<number>;
  /** Of the last seven days, by host. */
  usual(tenant: TenantId): Promise<Usual[]>;
  /** Of one host, of those hours of the last seven days that are rolled up; undefined where none is. */
  usualFigures(tenant: TenantId, of: HostOfApp): Promise<Figures | undefined>;
}
