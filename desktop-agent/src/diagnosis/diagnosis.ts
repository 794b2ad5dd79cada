import type { UnavailableCode } from '@svc/contracts/verdict';

/** Shape of `svc-agent diagnose --json`; raised when a field changes its meaning or goes. New fields may come without. */
export const DIAGNOSIS_VERSION = 1;

/** One reading: a value, or null with the reason as a code. */
export interface Finding {
  /** The result's key with its layer in front, units included: `wifi.rssi.dbm`. */
  readonly name: string;
  readonly value: string | number | boolean | null;
  readonly unavailable: UnavailableCode | null;
  /** How it was read, or what stood in the way, in English. */
  readonly detail: string;
}

export const PERMISSIONS = ['location', 'icmp', 'local_network'] as const;
export interface Permission {
  readonly name: (typeof PERMISSIONS)[number];
  /** `unknown`: nothing was tried that would show it. */
  readonly state: 'granted' | 'missing' | 'not_needed' | 'unknown';
  readonly detail: string;
}

export interface StateFinding {
  readonly name: 'enrolled' | 'spool';
  readonly ok: boolean;
  readonly detail: string;
}

export interface Diagnosis {
  readonly version: typeof DIAGNOSIS_VERSION;
  /** RFC 3339. */
  readonly at: string;
  readonly agent: { readonly version: string; readonly node: string };
  readonly system: { readonly platform: string; readonly release: string; readonly arch: string };
  readonly readings: readonly Finding[];
  readonly permissions: readonly Permission[];
  /** What this look itself took: processor and wall time, memory at its end. */
  readonly cost: { readonly cpuMs: number; readonly wallMs: number; readonly rssBytes: number };
  readonly state: readonly StateFinding[];
}
