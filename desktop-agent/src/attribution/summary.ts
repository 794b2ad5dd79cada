import type { Verdict } from './attribute.ts';
import type { Fault, LayerState } from './layers.ts';
import { isMeasured, type Readings } from './readings.ts';

/** Thin space between number and unit, and the true minus (visual.md, "Microcopy"). */
const THIN = '\u2009';
const number = (value: number, digits = 0): string => value.toFixed(digits).replace('-', '\u2212');
const unit = (value: number, name: string): string => `${number(value, name === 'ms' && value < 10 ? 1 : 0)}${THIN}${name}`;
const percent = (lost: number, sent: number): string => `${number((lost / sent) * 100)}${THIN}%`;

export interface SummaryContext {
  /** When the present cause began, already in the words of the reader's clock, such as `08:42`. */
  since?: string;
  /** Slow sessions from this total on, milliseconds. */
  sessionTotalMs: number;
}

const since = (context: SummaryContext): string => (context.since === undefined ? '' : ` since ${context.since}`);
/** "answers in 45 ms", and with a beginning "has answered in 45 ms since 08:42". */
const lasting = (verb: { now: string; since: string }, rest: string, context: SummaryContext): string =>
  `${context.since === undefined ? verb.now : verb.since}${rest}${since(context)}`;
const ANSWERS = { now: 'answers', since: 'has answered' };
const SILENT = { now: 'does not answer', since: 'has not answered' };
const TAKES = { now: 'takes', since: 'has taken' };
const others = (fault: { slow: number; of: number }): string =>
  fault.of > 1 ? ` (${fault.slow} of ${fault.of} services are slow)` : '';

function wifiSentence(fault: Fault, context: SummaryContext): string | undefined {
  const lead = 'Slow because of Wi-Fi:';
  if (fault.kind === 'weak_signal')
    return `${lead} signal near ${unit(fault.rssiDbm, 'dBm')}${since(context)}, too weak to hold a fast link.`;
  if (fault.kind === 'weak_signal_percent')
    return `${lead} signal near ${unit(fault.signalPercent, '%')}${since(context)}, too weak to hold a fast link.`;
  if (fault.kind === 'noise')
    return `${lead} signal ${unit(fault.rssiDbm, 'dBm')} is only ${unit(fault.snrDb, 'dB')} above the noise${since(context)}.`;
  return undefined;
}

function localSentence(fault: Fault, context: SummaryContext): string | undefined {
  const lead = 'Slow because of the local network: the gateway';
  if (fault.kind === 'gateway_silent') return `${lead} ${lasting(SILENT, '', context)}.`;
  if (fault.kind === 'gateway_loss') {
    const { lost, sent } = fault.loss;
    return `${lead} lost ${lost} of ${sent} probes (${percent(lost, sent)})${since(context)}.`;
  }
  if (fault.kind === 'gateway_slow') return `${lead} ${lasting(ANSWERS, ` in ${unit(fault.rttMs, 'ms')}`, context)}.`;
  return undefined;
}

/** The nearer layers that were judged and are fine: the reader need not look there. */
function fineBefore(verdict: Verdict): string {
  const names = { wifi: 'Wi-Fi', local: 'gateway', isp: 'ISP', network: 'services' } as const;
  const at = verdict.layers.findIndex((state) => state.fault !== null);
  const fine = verdict.layers.slice(0, at).filter((state) => state.score !== null);
  const words = fine.map((state) => names[state.layer]);
  const last = words.pop();
  if (last === undefined) return '';
  const list = words.length > 0 ? `${words.join(', ')} and ${last} are` : `${last} is`;
  return ` ${list.charAt(0).toUpperCase()}${list.slice(1)} fine.`;
}

function ispSentence(fault: Fault, context: SummaryContext): string | undefined {
  const lead = 'Slow because of the ISP: its first router';
  if (fault.kind === 'isp_slow') return `${lead} ${lasting(ANSWERS, ` in ${unit(fault.rttMs, 'ms')}`, context)}.`;
  if (fault.kind === 'isp_loss') {
    const { lost, sent } = fault.loss;
    return `${lead} and those behind it lost ${lost} of ${sent} probes (${percent(lost, sent)})${since(context)}.`;
  }
  return undefined;
}

function sessionPart(fault: Fault, context: SummaryContext): string | undefined {
  if (fault.kind === 'session_slow')
    return `${fault.target} ${lasting(TAKES, ` ${unit(fault.totalMs, 'ms')}`, context)}${others(fault)}`;
  if (fault.kind === 'session_failed') return `${fault.target} ${lasting(SILENT, '', context)}${others(fault)}`;
  return undefined;
}

const signalPart = (readings: Readings): string | undefined => {
  if (!isMeasured(readings.wifi)) return undefined;
  const { rssiDbm, signalPercent } = readings.wifi;
  if (rssiDbm !== undefined) return `Wi-Fi ${unit(rssiDbm, 'dBm')}`;
  return signalPercent === undefined ? undefined : `Wi-Fi ${unit(signalPercent, '%')}`;
};

function healthySentence(layers: readonly LayerState[], readings: Readings, context: SummaryContext): string {
  const parts = [signalPart(readings)];
  const scored = (layer: string): boolean => layers.some((state) => state.layer === layer && state.score !== null);
  if (scored('local') && isMeasured(readings.gateway) && readings.gateway.rttMs !== undefined)
    parts.push(`gateway ${unit(readings.gateway.rttMs, 'ms')}`);
  if (isMeasured(readings.path) && readings.path.isp?.rttMs !== undefined)
    parts.push(`ISP ${unit(readings.path.isp.rttMs, 'ms')}`);
  const judged = readings.sessions.filter((session) => session.role === 'target').length;
  if (judged > 0) parts.push(`${judged} ${judged === 1 ? 'service' : 'services'} under ${unit(context.sessionTotalMs, 'ms')}`);
  const known = parts.filter((part) => part !== undefined);
  return known.length > 0 ? `Healthy: ${known.join(', ')}.` : 'Healthy: nothing that was measured is slow.';
}

/** One plain sentence for employee and administrator alike: number, unit, since when, and what is fine. */
export function summarize(verdict: Verdict, context: SummaryContext): string {
  const { fault, layers, readings } = verdict;
  if (!fault) return healthySentence(layers, readings, context);
  const session = sessionPart(fault, context);
  if (session !== undefined) {
    if (verdict.cause === 'unknown') return `Slow: cause unknown. ${session}, and the path there cannot be seen from here.`;
    return `Slow beyond the ISP: ${session}.${fineBefore(verdict)}`;
  }
  const near = wifiSentence(fault, context) ?? localSentence(fault, context) ?? ispSentence(fault, context);
  return `${near}${verdict.cause === 'wifi' ? '' : fineBefore(verdict)}`;
}
