import type { FaultFact } from '@svc/contracts/judged/fault';
import type { JudgedMeasure, Measure } from '@svc/contracts/judged/measures';
import type { VerdictFacts } from '@svc/contracts/judged/read-verdict';
import { actorWords, createVerdictWords } from '@svc/contracts/words/verdict-words';
import { formatMs, formatPercent, withUnit } from '../words/format.ts';
import { FAULT_NAMES } from './health-words.ts';

/** One thing that speaks for a fault, as a label and its words. */
export interface Evidence {
  label: string;
  words: string;
}

const WORDS = createVerdictWords('en');

const RATIOS = ['gateway_loss', 'isp_loss', 'path_loss', 'wifi_airtime'] as const satisfies readonly FaultFact['kind'][];

/** A figure of a fault with the unit that its kind has. */
function figureWords({ kind }: FaultFact, value: number, decided: JudgedMeasure | null): string {
  if ((RATIOS as readonly string[]).includes(kind)) return formatPercent(value);
  if (kind === 'wifi_noise') return withUnit(value, 'dB');
  if (kind === 'wifi_signal') return withUnit(value, decided?.measure === 'wifi_signal_percent' ? '%' : 'dBm');
  return formatMs(value);
}

const PHASES: readonly (readonly [Measure, string])[] = [
  ['session_dns_ms', 'DNS'],
  ['session_connect_ms', 'connect'],
  ['session_tls_ms', 'TLS'],
  ['session_ttfb_ms', 'first byte'],
];

/** A path is no session's, and beside it the phases of one would prove nothing. */
const isOfPath = ({ kind }: FaultFact): boolean => kind === 'path_loss' || kind === 'path_delay';

/** The phases that were judged, in their order: "DNS 3 s, connect 12 ms". */
function phaseWords({ layers }: VerdictFacts): string {
  const measures = layers.flatMap((layer) => layer.measures);
  return PHASES.flatMap(([name, word]) => {
    const found = measures.find(({ measure }) => measure === name);
    return found ? [`${word} ${formatMs(found.value)}`] : [];
  }).join(', ');
}

const timesWords = (flips: number): string => (flips === 1 ? 'once in the last hour' : `${flips} times in the last hour`);

/** What speaks for a verdict's fault, who can act on it and how often the cause changed; nothing of a verdict without either. */
export function faultEvidence(facts: VerdictFacts): Evidence[] {
  const { fault, also, decided, flips } = facts;
  const changed = flips > 0 ? [{ label: 'Changed', words: timesWords(flips) }] : [];
  if (fault === null) return changed;
  const figure = (value: number | null): string => (value === null ? '' : figureWords(fault, value, decided));
  const place = fault.hop === null ? '' : `hop ${fault.hop}${fault.hops === null ? '' : ` of ${fault.hops}`}`;
  const phases = fault.target === null || isOfPath(fault) ? '' : phaseWords(facts);
  const rows = [
    { label: 'Fault', words: FAULT_NAMES[fault.kind] },
    { label: 'From', words: place },
    { label: 'Measured', words: figure(fault.value) },
    { label: fault.kind === 'queueing' ? 'On a quiet line' : 'Usual on this network', words: figure(fault.usual) },
    { label: 'Phases', words: phases },
    { label: 'Code', words: fault.code ?? '' },
    { label: 'Who can act', words: actorWords(WORDS, fault) },
    { label: 'Beside it', words: also === null ? '' : [FAULT_NAMES[also.kind], also.target ?? ''].join(' ').trim() },
  ];
  return [...rows.filter(({ words }) => words !== ''), ...changed];
}
