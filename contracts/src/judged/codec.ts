import { z } from 'zod';
import { FAULT_KINDS, FAULT_KINDS_VERSION, type FaultKind } from '../fault-kinds.ts';
import { LAYERS, type Layer } from '../verdict.ts';
import {
  type Coverage,
  type FaultFact,
  faultFact,
  MAX_CODE,
  MAX_FIGURE,
  MAX_FLIPS,
  MAX_TARGET,
  NO_NOTES,
  type VerdictNotes,
} from './fault.ts';
import { isEvidence, type JudgedMeasure, MEASURES } from './measures.ts';

/** What one attribute of a result holds. */
const MAX_TEXT = 1024;
const Tuple = z.tuple([z.number(), z.number()], z.union([z.number(), z.string().max(MAX_TARGET), z.null()]));
const Encoded = z.record(z.string().max(64), z.unknown());

/** Keys beside the measures; an agent or server that does not know one leaves it alone. */
const FAULT = '$fault';
/** Version of the list of kinds that the fault is taken from: a reader sees whether it is one of a later list. */
const KINDS = '$kinds';
const ALSO = '$also';
const COVERAGE = '$coverage';
const MEASURING = '$measuring';
const FLIPS = '$flips';

/** A verdict's values and what goes with them. */
export interface Judged extends VerdictNotes {
  measures: JudgedMeasure[];
}

const trimmed = (tuple: unknown[]): unknown[] => {
  while (tuple.at(-1) === null) tuple.pop();
  return tuple;
};

const encodeMeasure = ({ value, limit, samples, failed, target }: JudgedMeasure): unknown[] =>
  trimmed([value, limit, samples, failed, target?.slice(0, MAX_TARGET) ?? null]);

const encodeFault = ({ kind, target, code, value, usual, hop, hops }: FaultFact): unknown[] =>
  trimmed([kind, target?.slice(0, MAX_TARGET) ?? null, code?.slice(0, MAX_CODE) ?? null, value, usual, hop, hops]);

const initials = (layers: readonly Layer[]): string => layers.map((layer) => LAYERS.indexOf(layer)).join('');

/**
 * The measures as the text of one attribute, short enough for it: `{"isp_loss_ratio":[0.04,0.02,50,2],...}`. Where it grows too long,
 * evidence is left out, the last first.
 */
export function encodeJudged(measures: readonly JudgedMeasure[], notes: VerdictNotes = NO_NOTES): string {
  const { fault, coverage, also, flips } = notes;
  const beside = {
    ...(fault ? { [FAULT]: encodeFault(fault), [KINDS]: FAULT_KINDS_VERSION } : {}),
    ...(also ? { [ALSO]: encodeFault(also) } : {}),
    ...(coverage ? { [COVERAGE]: `${initials(coverage.measured)}/${initials(coverage.needed)}` } : {}),
    ...(coverage?.measuring?.length ? { [MEASURING]: initials(coverage.measuring) } : {}),
    ...(flips > 0 ? { [FLIPS]: flips } : {}),
  };
  const told = [...measures];
  for (;;) {
    const text = JSON.stringify({ ...Object.fromEntries(told.map((one) => [one.measure, encodeMeasure(one)])), ...beside });
    const last = told.findLastIndex((one) => isEvidence(one.measure));
    if (text.length <= MAX_TEXT || last < 0) return text;
    told.splice(last, 1);
  }
}

function toObject(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
/** JSON has numbers that no clock and no radio measures: 1e999 is read as Infinity, and pages refuse such a row. */
const figureOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) <= MAX_FIGURE ? value : null;
const flipsOf = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_FLIPS ? value : 0;
/** Cut first: what a cut leaves of a surrogate pair is no character either. */
const textOrNull = (value: unknown, max: number): string | null =>
  (typeof value === 'string' && value.slice(0, max).replaceAll(/\p{C}/gu, '')) || null;
const hopOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 64 ? value : null;

function decodeFault(value: unknown): FaultFact | null {
  if (!Array.isArray(value)) return null;
  const [kind, target, code, figure, usual, hop, hops] = value as unknown[];
  if (!FAULT_KINDS.includes(kind as FaultKind)) return null;
  return faultFact({
    kind: kind as FaultKind,
    target: textOrNull(target, MAX_TARGET),
    code: textOrNull(code, MAX_CODE),
    value: figureOrNull(figure),
    usual: figureOrNull(usual),
    hop: hopOrNull(hop),
    hops: hopOrNull(hops),
  });
}

const layersOf = (digits: string): Layer[] => LAYERS.filter((_, index) => digits.includes(String(index)));

function decodeCoverage(value: unknown, yetToCome: unknown): Coverage | null {
  const parts = typeof value === 'string' ? /^([0-3]{0,4})\/([0-3]{0,4})$/.exec(value) : null;
  if (!parts) return null;
  const measuring = typeof yetToCome === 'string' && /^[0-3]{1,4}$/.test(yetToCome) ? layersOf(yetToCome) : [];
  return {
    measured: layersOf(parts[1] ?? ''),
    needed: layersOf(parts[2] ?? ''),
    ...(measuring.length > 0 ? { measuring } : {}),
  };
}

function decodeMeasure(measure: JudgedMeasure['measure'], value: unknown): JudgedMeasure | null {
  const parsed = Tuple.safeParse(value);
  if (!parsed.success) return null;
  const [read, limit, ...rest] = parsed.data;
  const [samples, failed, target] = rest;
  return {
    measure,
    value: read,
    limit,
    samples: numberOrNull(samples),
    failed: numberOrNull(failed),
    target: textOrNull(target, MAX_TARGET),
  };
}

/** What a verdict says beside its cause; null for a text that is none. What is not known here is left out, as from a newer agent. */
export function decodeVerdict(text: string): Judged | null {
  const parsed = Encoded.safeParse(toObject(text));
  if (!parsed.success) return null;
  const measures: JudgedMeasure[] = [];
  for (const measure of MEASURES) {
    if (!(measure in parsed.data)) continue;
    const read = decodeMeasure(measure, parsed.data[measure]);
    if (!read) return null;
    measures.push(read);
  }
  const { [FAULT]: fault, [ALSO]: also, [COVERAGE]: coverage, [MEASURING]: measuring, [FLIPS]: flips } = parsed.data;
  const second = decodeFault(also);
  return {
    measures,
    fault: decodeFault(fault),
    ...(second ? { also: second } : {}),
    coverage: decodeCoverage(coverage, measuring),
    flips: flipsOf(flips),
  };
}

/** The measures alone. */
export const decodeJudged = (text: string): JudgedMeasure[] | null => decodeVerdict(text)?.measures ?? null;
