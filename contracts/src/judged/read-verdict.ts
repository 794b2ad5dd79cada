import type { Segment } from '../results/endpoint-results.ts';
import { type Cause, LAYERS, type Layer } from '../verdict.ts';
import { type Coverage, type FaultFact, NO_NOTES, type VerdictNotes } from './fault.ts';
import { decidedBy, type JudgedMeasure, layerOf, type Measure } from './measures.ts';

/** A verdict as it is kept and sent: codes, numbers and instants, no words. */
export interface JudgedVerdict extends Partial<VerdictNotes> {
  cause: Cause;
  /** When the present cause began, an instant; null where nobody knows. */
  since: string | null;
  measures: readonly JudgedMeasure[];
  /** The agent's scores, as far as they are at hand. */
  layers?: readonly { layer: Layer; score: number | null; unavailable: string | null }[];
}

/** `behind`: a nearer layer is at fault, the walk ended there, and this one was not judged. */
export type LayerState = 'blamed' | 'impaired' | 'near_limit' | 'fine' | 'behind' | 'unmeasured';

export interface LayerFact {
  layer: Layer;
  state: LayerState;
  /** 0 to 100, high is good; null where the layer was not judged. */
  score: number | null;
  unavailable: string | null;
  /** The layer at fault in front of this one. */
  behind: Layer | null;
  measures: readonly JudgedMeasure[];
  /** The measure that decided against this layer. */
  decided: JudgedMeasure | null;
}

export interface SegmentFact {
  segment: Segment;
  blamed: boolean;
  /** The measure that decided, where this segment is the one at fault. */
  decided: JudgedMeasure | null;
  rtt: JudgedMeasure | null;
  loss: JudgedMeasure | null;
}

/** What one verdict says, for everything that shows it: the sentence, the layers, the path and the row of the table. */
export interface VerdictFacts {
  cause: Cause;
  since: string | null;
  /** The measure that broke its limit and decided; null for `none`, and for an agent too old to name it. */
  decided: JudgedMeasure | null;
  /** What is wrong within the cause; with `none`, what is off all the same. */
  fault: FaultFact | null;
  /** What is wrong beside it, with something else. */
  also: FaultFact | null;
  coverage: Coverage | null;
  flips: number;
  layers: readonly LayerFact[];
  segments: Readonly<Record<Segment, SegmentFact>>;
  row: Readonly<Partial<Record<Measure, { value: number; blamed: boolean }>>>;
}

/** The agent's scale: at 50 a layer stands on its limit. */
const IMPAIRED_AT = 50;
const NEAR_AT = 60;

/** The layer whose measures a cause is about; a slow session that nobody could localize is the far network's. */
export const faultLayer = (cause: Cause): Layer | null => (cause === 'none' ? null : cause === 'unknown' ? 'network' : cause);

/** The layer at fault in front of this one; null where this one was reached by the walk. */
export function blamedBefore(cause: Cause, layer: Layer): Layer | null {
  const at = faultLayer(cause);
  return at !== null && LAYERS.indexOf(layer) > LAYERS.indexOf(at) ? at : null;
}

function stateOf(verdict: JudgedVerdict, layer: Layer, seen: { score: number | null; isMeasured: boolean }): LayerState {
  if (blamedBefore(verdict.cause, layer) !== null) return 'behind';
  if (!seen.isMeasured) return 'unmeasured';
  if (verdict.cause === layer) return 'blamed';
  if (faultLayer(verdict.cause) === layer || (seen.score !== null && seen.score <= IMPAIRED_AT)) return 'impaired';
  return seen.score !== null && seen.score < NEAR_AT ? 'near_limit' : 'fine';
}

function readLayer(verdict: JudgedVerdict, layer: Layer): LayerFact {
  const measures = verdict.measures.filter((one) => layerOf(one.measure) === layer);
  const scored = verdict.layers?.find((one) => one.layer === layer);
  const isMeasured = (scored?.score ?? null) !== null || (!verdict.layers && measures.length > 0);
  const state = stateOf(verdict, layer, { score: scored?.score ?? null, isMeasured });
  const isAtFault = faultLayer(verdict.cause) === layer;
  return {
    layer,
    state,
    score: state === 'behind' ? null : (scored?.score ?? null),
    unavailable: isMeasured ? null : (scored?.unavailable ?? null),
    behind: blamedBefore(verdict.cause, layer),
    measures,
    decided: isAtFault ? decidedBy(measures, layer) : null,
  };
}

const SEGMENT_MEASURES = {
  local: { causes: ['wifi', 'local'], rtt: 'gateway_rtt_ms', loss: 'gateway_loss_ratio' },
  'isp-edge': { causes: ['isp'], rtt: 'isp_rtt_ms', loss: 'isp_loss_ratio' },
  beyond: { causes: ['network'], rtt: 'session_total_ms', loss: undefined },
} as const satisfies Record<Segment, { causes: readonly Cause[]; rtt: Measure; loss: Measure | undefined }>;

/** What a verdict says, read once for all that shows it. Pure; the measure it names broke its limit. */
export function readVerdict(verdict: JudgedVerdict): VerdictFacts {
  const layers = LAYERS.map((layer) => readLayer(verdict, layer));
  const decided = layers.find((one) => one.decided !== null)?.decided ?? null;
  const find = (measure: Measure | undefined) => verdict.measures.find((one) => one.measure === measure) ?? null;
  const segment = (name: Segment): SegmentFact => {
    const { causes, rtt, loss } = SEGMENT_MEASURES[name];
    const blamed = (causes as readonly Cause[]).includes(verdict.cause);
    return { segment: name, blamed, decided: blamed ? decided : null, rtt: find(rtt), loss: find(loss) };
  };
  const cell = (one: JudgedMeasure) => [one.measure, { value: one.value, blamed: one === decided }] as const;
  const { fault = null, also = null, coverage = null, flips = 0 } = { ...NO_NOTES, ...verdict };
  return {
    cause: verdict.cause,
    since: verdict.since,
    decided,
    fault,
    also,
    coverage,
    flips,
    layers,
    segments: { local: segment('local'), 'isp-edge': segment('isp-edge'), beyond: segment('beyond') },
    row: Object.fromEntries(verdict.measures.map(cell)),
  };
}
