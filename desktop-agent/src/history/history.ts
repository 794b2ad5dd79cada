import type { StripHour } from '@svc/contracts/agent/ipc';
import type { KeptFile } from '../kept-file.ts';
import { type HourTally, isMinuteState, type MinuteState, stripOf, tallyMinute } from './strip.ts';

/**
 * What the device keeps of its own past for its faces: a day of verdicts, and how long each session typically takes. Bounded. Not
 * what is usual on one network (measure/state/usual-values.ts), by which is judged: this is shown, and of all networks. */
export interface History {
  /** To be called each minute. */
  addMinute(nowMs: number, state: MinuteState): void;
  addSession(target: string, totalMs: number): void;
  strip(nowMs: number): StripHour[];
  /** Median of what was kept of a target; null before there are three. */
  typicalMs(target: string): number | null;
  /** Writes it down; a full disk only costs the past. */
  save(): Promise<void>;
}

const MAX_TARGETS = 40;
const MAX_TOTALS = 48;
const FEWEST = 3;

interface Kept {
  tallies: HourTally[];
  totals: [target: string, totalsMs: number[]][];
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0;

function asTally(value: unknown): HourTally[] {
  const { hour, minutes } = (value ?? {}) as Partial<HourTally>;
  if (!isCount(hour) || typeof minutes !== 'object' || minutes === null) return [];
  const known = Object.entries(minutes).filter(([state, count]) => isMinuteState(state) && isCount(count));
  return [{ hour, minutes: Object.fromEntries(known) }];
}

function asTotals(value: unknown): [string, number[]][] {
  if (!Array.isArray(value)) return [];
  const [target, totals] = value as unknown[];
  return typeof target === 'string' && Array.isArray(totals) ? [[target, totals.filter(isCount).slice(-MAX_TOTALS)]] : [];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** A file that is missing or damaged is as none. */
export async function openHistory(file: KeptFile): Promise<History> {
  const kept = ((await file.read()) ?? {}) as Partial<Record<keyof Kept, unknown>>;
  let tallies = Array.isArray(kept.tallies) ? kept.tallies.flatMap(asTally) : [];
  const totals = new Map(Array.isArray(kept.totals) ? kept.totals.flatMap(asTotals) : []);
  return {
    addMinute(nowMs, state) {
      tallies = tallyMinute(tallies, nowMs, state);
    },
    addSession(target, totalMs) {
      const values = totals.get(target) ?? [];
      // The least recent target goes first.
      totals.delete(target);
      totals.set(target, [...values, totalMs].slice(-MAX_TOTALS));
      for (const oldest of totals.keys()) if (totals.size > MAX_TARGETS) totals.delete(oldest);
    },
    strip: (nowMs) => stripOf(tallies, nowMs),
    typicalMs(target) {
      const values = totals.get(target) ?? [];
      return values.length < FEWEST ? null : median(values);
    },
    save: () => file.write({ tallies, totals: [...totals] } satisfies Kept).catch(() => undefined),
  };
}
