import { actorOf, type FaultKind } from '../fault-kinds.ts';
import type { FaultFact } from '../judged/fault.ts';
import type { JudgedMeasure } from '../judged/measures.ts';
import { certificateFlaw } from '../session-failure.ts';
import { createFormats, type Formats } from './formats.ts';
import type { Placeholders } from './message.ts';
import { createTranslate } from './translate.ts';
import { verdictMessages as en, type VerdictMessages } from './verdict/en.ts';

/** What the console and the API speak. The other languages are the window's (verdict-catalogues.ts), and bytes that no browser needs. */
const CATALOGUES = { en } as const;

type Key = keyof VerdictMessages;
type Values<K extends Key> = Readonly<Record<Placeholders<VerdictMessages[K]>, string | number>>;

/** How figures are written beside the words: the window's formats, or the console's. */
export type FigureFormats = Pick<Formats, 'ms' | 'percent' | 'withUnit'>;

export interface VerdictWords extends FigureFormats {
  t: <K extends Key>(key: K, ...values: Placeholders<VerdictMessages[K]> extends never ? [] : [Values<K>]) => string;
}

export function createVerdictWords(
  language: keyof typeof CATALOGUES,
  figures: FigureFormats = createFormats(language),
): VerdictWords {
  const { ms, percent, withUnit } = figures;
  const t = createTranslate({ language, catalogue: CATALOGUES[language] }) as VerdictWords['t'];
  return { ms, percent, withUnit, t };
}

/** What a sentence is made of beside the fault itself. */
export interface FaultContext {
  /** The measure that decided, with its counts; null where the fault is of none. */
  decided: JudgedMeasure | null;
  /** "since 08:42" in the reader's words, or empty where nobody knows. */
  since: string;
}

const UNKNOWN_CODE = '?';
/** A target as a person names it: no scheme, no bare slash. */
export const plainTarget = (target: string): string => target.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/\/$/, '');

/** Codes as a reader may look them up: HTTP_503 is "HTTP 503". */
export const codeWords = (code: string | null): string =>
  code?.replaceAll('_', ' ').replace(/^HTTP (\d)/, 'HTTP $1') ?? UNKNOWN_CODE;

function signalWords(words: VerdictWords, { value }: FaultFact, decided: JudgedMeasure | null): string {
  return words.withUnit(value ?? decided?.value ?? 0, decided?.measure === 'wifi_signal_percent' ? '%' : 'dBm');
}

const SERVICE_KINDS = {
  dns_failing: true,
  dns_lying: true,
  proxy: true,
  service_error: true,
  service_unreachable: true,
} as const satisfies Partial<Record<FaultKind, true>>;
const isOfService = (kind: FaultKind): kind is keyof typeof SERVICE_KINDS => kind in SERVICE_KINDS;

/** What is wrong, as one sentence with its figures. */
export function faultSentence(words: VerdictWords, fault: FaultFact, { decided, since: when }: FaultContext): string {
  const { t, ms, percent, withUnit } = words;
  const since = when === '' ? '' : ` ${when}`;
  const target = plainTarget(fault.target ?? decided?.target ?? UNKNOWN_CODE);
  const code = codeWords(fault.code);
  const value = fault.value ?? decided?.value ?? 0;
  const { kind } = fault;
  if (isOfService(kind)) return t(`fault.${kind}`, { target, code, since });
  switch (kind) {
    case 'wifi_signal':
      return t('fault.wifi_signal', { value: signalWords(words, fault, decided), since });
    case 'wifi_noise':
      return t('fault.wifi_noise', { value: withUnit(value, 'dB'), since });
    case 'wifi_airtime': {
      const key = decided?.measure === 'wifi_retry_ratio' ? 'retries' : 'busy';
      return t(`fault.wifi_airtime.${key}`, { value: percent(value), since });
    }
    case 'gateway_loss':
    case 'isp_loss':
      return t(`fault.${kind}`, {
        lost: decided?.failed ?? UNKNOWN_CODE,
        sent: decided?.samples ?? UNKNOWN_CODE,
        value: percent(value),
        since,
      });
    case 'gateway_delay':
    case 'isp_delay':
      return t(`fault.${kind}`, { value: ms(value), since });
    case 'queueing':
      return t('fault.queueing', { value: ms(value), usual: ms(fault.usual ?? 0), since });
    case 'dns_slow':
    case 'service_slow':
      return t(`fault.${kind}`, { target, value: ms(value), since });
    case 'path_loss':
    case 'path_delay':
    case 'lan_loss':
    case 'lan_delay': {
      const shown = kind === 'path_loss' || kind === 'lan_loss' ? percent(value) : ms(value);
      return t(`fault.${kind}`, { hop: fault.hop ?? UNKNOWN_CODE, hops: fault.hops ?? UNKNOWN_CODE, value: shown, since });
    }
    case 'certificate': {
      const flaw = certificateFlaw(fault.code);
      return flaw === 'other'
        ? t('fault.certificate.other', { target, code, since })
        : t(`fault.certificate.${flaw}`, { target });
    }
    case 'distance':
      return t('fault.distance', { target, value: ms(value) });
    case 'ipv6_broken':
      return t('fault.ipv6_broken', { value: ms(value), since });
    case 'mtu':
    case 'vpn':
      return t(`fault.${kind}`, { target, since });
    case 'gateway_unreachable':
    case 'captive_portal':
      return t(`fault.${kind}`, { since });
  }
}

const LED_KINDS = {
  queueing: true,
  captive_portal: true,
  certificate: true,
  dns_slow: true,
  dns_failing: true,
  dns_lying: true,
  proxy: true,
  service_error: true,
  service_unreachable: true,
  ipv6_broken: true,
  vpn: true,
} as const satisfies Partial<Record<FaultKind, true>>;
const isLed = (kind: FaultKind): kind is keyof typeof LED_KINDS => kind in LED_KINDS;

/** What stands first where the layer alone would mislead: the line is full of the reader's own traffic, or nothing is slow beyond the ISP. Else null. */
export const leadWords = ({ t }: VerdictWords, fault: FaultFact | null): string | null =>
  fault !== null && isLed(fault.kind) ? t(`lead.${fault.kind}`) : null;

/** The one thing to try, in words that fit who can act. */
export function remedyWords({ t }: VerdictWords, { kind, target: given, code }: FaultFact): string {
  const target = plainTarget(given ?? UNKNOWN_CODE);
  switch (kind) {
    case 'certificate': {
      const flaw = certificateFlaw(code);
      if (flaw === 'not_yet_valid' || flaw === 'authority') return t(`try.certificate.${flaw}`);
      return t(`try.certificate.${flaw}`, { target });
    }
    case 'service_error':
    case 'service_unreachable':
    case 'service_slow':
      return t(`try.${kind}`, { target });
    default:
      return t(`try.${kind}`);
  }
}

/** Who can act on it. */
export const actorWords = ({ t }: VerdictWords, { kind, code }: FaultFact): string => t(`actor.${actorOf(kind, code)}`);
