import type { HelpdeskView, Measured, SessionView } from '@svc/contracts/agent/ipc';
import { causeName, targetName, verdictSentence } from './verdict-words.ts';
import type { Words } from './words.ts';

function measured(words: Words, value: Measured, write: (value: number) => string): string {
  if (value.value !== null) return write(value.value);
  if (value.unavailable === null) return words.t('helpdesk.notYet');
  return words.t('helpdesk.notMeasured', { why: words.t(`whyLong.${value.unavailable}`) });
}

function sessionLine(words: Words, session: SessionView): string {
  const { t } = words;
  const total = session.totalMs === null ? t('helpdesk.notYet') : words.ms(session.totalMs);
  const typical =
    session.typicalMs === null ? total : t('helpdesk.typical', { value: total, typical: words.ms(session.typicalMs) });
  const value = session.success ? typical : t('helpdesk.failed', { error: session.error ?? '?' });
  return t('helpdesk.session', { target: targetName(session.target), value });
}

function verdictLines(words: Words, { verdict, atMs }: HelpdeskView): string[] {
  const { t } = words;
  if (!verdict) return [t('helpdesk.noVerdict')];
  const { title, detail } = verdictSentence(words, verdict, atMs);
  const scores = verdict.layers.map(
    ({ layer, score, unavailable }) =>
      `${causeName(words, layer)} ${score === null ? t(`why.${unavailable ?? 'not_supported'}`) : words.number(score)}`,
  );
  return [
    t('helpdesk.verdict', { sentence: `${title}. ${detail}` }),
    t('helpdesk.confidence', { percent: words.percent(verdict.confidence) }),
    t('helpdesk.layers', { list: scores.join(', ') }),
  ];
}

/** The device's distance from UTC: whoever reads the text may sit in another zone. */
function zoneWords(atMs: number): string {
  const minutes = -new Date(atMs).getTimezoneOffset();
  const two = (part: number): string => String(part).padStart(2, '0');
  const distance = Math.abs(minutes);
  return `UTC${minutes < 0 ? '\u2212' : '+'}${two(Math.floor(distance / 60))}:${two(distance % 60)}`;
}

/** What goes on the clipboard: the code first, so that a helpdesk can search before it reads. Shown to the person first. */
export function helpdeskText(words: Words, view: HelpdeskView): string {
  const { t } = words;
  const wifi =
    view.wifi.rssiDbm.value === null && view.wifi.signalPercent.value !== null
      ? words.withUnit(view.wifi.signalPercent.value, '%')
      : measured(words, view.wifi.rssiDbm, (value) => words.withUnit(value, 'dBm'));
  return [
    t('helpdesk.title', { date: words.date(view.atMs, view.atMs), time: `${words.clock(view.atMs)} (${zoneWords(view.atMs)})` }),
    view.code === null ? t('helpdesk.noCode') : t('helpdesk.code', { code: view.code }),
    ...(view.deviceName === null ? [] : [t('helpdesk.device', { name: view.deviceName })]),
    '',
    ...verdictLines(words, view),
    '',
    t('helpdesk.wifi', { value: wifi }),
    t('helpdesk.gatewayRtt', { value: measured(words, view.gateway.rttMs, words.ms) }),
    t('helpdesk.gatewayLoss', { value: measured(words, view.gateway.lossRatio, words.percent) }),
    ...view.sessions.map((session) => sessionLine(words, session)),
    '',
    t('helpdesk.version', { version: view.version }),
  ].join('\n');
}
