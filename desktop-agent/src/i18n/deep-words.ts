import type { DeepTestView, LineView, MtuView, PingsView, TraceView } from '@svc/contracts/agent/deep-test';
import { DEEP_TEST_COST, type DeepTestPart } from '@svc/contracts/agent/deep-test-facts';
import type { Words } from './words.ts';

/** Added under load: beyond the first a call notices, beyond the second it stutters. */
const NOTICED_MS = 30;
const QUEUE_MS = 100;
/** Nothing larger travels on Ethernet. */
const WHOLE_BYTES = 1500;
/** A shorter one is mostly the start of a connection: no speed of the line. */
const SHORTEST_MS = 200;

/** `bad`: what hurts; `unknown`: not measured. */
export interface Finding {
  part: DeepTestPart;
  tone: 'good' | 'bad' | 'unknown';
  text: string;
}

export const deepTestCost = (words: Words): string =>
  words.t('deep.cost', { size: words.bytes(DEEP_TEST_COST.bytes), duration: words.duration(DEEP_TEST_COST.seconds * 1000) });

const rate = (words: Words, { bytes, tookMs }: { bytes: number; tookMs: number }): string => {
  const mbps = (bytes * 8) / 1000 / tookMs;
  return words.withUnit(mbps, 'Mbit/s', mbps < 10 ? 1 : 0);
};

function speedWords(words: Words, { upload, download }: LineView): string {
  if (!upload || !download || Math.min(upload.tookMs, download.tookMs) < SHORTEST_MS) return '';
  return ` ${words.t('deep.line.speed', { down: rate(words, download), up: rate(words, upload) })}`;
}

function lineFinding(words: Words, line: LineView): Omit<Finding, 'part'> {
  if (line.fault) return { tone: line.fault === 'failed' ? 'bad' : 'unknown', text: words.t(`deep.line.${line.fault}`) };
  const loaded = [line.upload?.echoMs, line.download?.echoMs].filter((ms) => ms !== null && ms !== undefined);
  const speed = speedWords(words, line);
  if (line.idleMs === null || loaded.length === 0) return { tone: 'unknown', text: words.t('deep.line.brief') + speed };
  const worst = Math.max(...loaded);
  const added = worst - line.idleMs;
  const figures = { idle: words.ms(line.idleMs), loaded: words.ms(worst) };
  if (added >= QUEUE_MS) return { tone: 'bad', text: words.t('deep.line.queue', figures) + speed };
  return { tone: 'good', text: words.t(added >= NOTICED_MS ? 'deep.line.some' : 'deep.line.steady', figures) + speed };
}

function mtuFinding(words: Words, { host, mtuBytes, isBlackHole }: MtuView): Omit<Finding, 'part'> {
  if (mtuBytes === null) return { tone: 'unknown', text: words.t('deep.mtu.unknown', { host }) };
  // Not in kB: whoever sets an MTU counts bytes.
  const bytes = words.number(mtuBytes);
  if (isBlackHole) return { tone: 'bad', text: words.t('deep.mtu.hole', { host, bytes }) };
  if (mtuBytes >= WHOLE_BYTES) return { tone: 'good', text: words.t('deep.mtu.whole', { host }) };
  return { tone: 'good', text: words.t('deep.mtu.smaller', { host, bytes }) };
}

function pingsFinding(words: Words, pings: PingsView): Omit<Finding, 'part'> {
  const { sent, received, medianMs, worstMs, unavailable } = pings;
  if (unavailable) return { tone: 'unknown', text: words.t('deep.pings.unmeasured', { why: words.t(`why.${unavailable}`) }) };
  if (received === 0 || medianMs === null) return { tone: 'unknown', text: words.t('deep.pings.silent', { sent }) };
  const median = words.ms(medianMs);
  if (received < sent)
    return { tone: sent - received > 1 ? 'bad' : 'good', text: words.t('deep.pings.some', { received, sent, median }) };
  return { tone: 'good', text: words.t('deep.pings.all', { sent, median, worst: words.ms(worstMs ?? medianMs) }) };
}

function whereWords(words: Words, hop: number, edgeHop: number | null): string {
  if (edgeHop === null) return '';
  return ` ${words.t(hop < edgeHop ? 'deep.path.inside' : hop === edgeHop ? 'deep.path.edge' : 'deep.path.beyond')}`;
}

function pathFinding(words: Words, path: TraceView): Omit<Finding, 'part'> {
  const { target, hops, rttMs, edgeHop } = path;
  if (path.unavailable)
    return { tone: 'unknown', text: words.t('deep.pings.unmeasured', { why: words.t(`why.${path.unavailable}`) }) };
  if (path.lossHop !== null && path.lossRatio !== null) {
    const loss = words.t('deep.path.loss', { hop: path.lossHop, hops, percent: words.percent(path.lossRatio), target });
    return { tone: 'bad', text: loss + whereWords(words, path.lossHop, edgeHop) };
  }
  const clear =
    path.reached && rttMs !== null
      ? words.t('deep.path.clear', { target, hops, rtt: words.ms(rttMs) })
      : words.t('deep.path.silent', { target, hops });
  if (path.delayHop === null || path.delayMs === null || rttMs === null || path.delayMs < NOTICED_MS)
    return { tone: path.reached ? 'good' : 'unknown', text: clear };
  const delay = words.t('deep.path.delay', { delay: words.ms(path.delayMs), rtt: words.ms(rttMs), hop: path.delayHop, hops });
  return { tone: path.reached ? 'good' : 'unknown', text: `${clear} ${delay}${whereWords(words, path.delayHop, edgeHop)}` };
}

/** What a deeper test has found so far, each in a sentence or two; parts that are not there yet are left out. */
export function deepFindings(words: Words, test: DeepTestView): Finding[] {
  const { line, mtu, pings, path, done } = test;
  const found: Finding[] = [];
  if (line) found.push({ part: 'line', ...lineFinding(words, line) });
  for (const one of mtu ?? []) found.push({ part: 'mtu', ...mtuFinding(words, one) });
  if (mtu?.length === 0) found.push({ part: 'mtu', tone: 'unknown', text: words.t('deep.mtu.none') });
  if (pings) found.push({ part: 'pings', ...pingsFinding(words, pings) });
  if (path) found.push({ part: 'path', ...pathFinding(words, path) });
  else if (done.includes('path')) found.push({ part: 'path', tone: 'unknown', text: words.t('deep.path.none') });
  return found;
}
