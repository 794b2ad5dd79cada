import type { Measured, ServiceState } from '@svc/contracts/agent/ipc';
import { healthOf } from '@svc/contracts/judged/healths';
import type { Cause } from '@svc/contracts/verdict';
import { sinceWords, untilWords } from './moments.ts';
import { type Sentence, suggestion, verdictSentence } from './verdict-words.ts';
import type { Words } from './words.ts';

/** What a face knows: the service's state, or that it does not answer and when it is tried next. */
export type Face = { reachable: true; state: ServiceState } | { reachable: false; nextTryMs: number | null };
export type Platform = 'linux' | 'darwin' | 'win32';

/** One picture each; the words name the cause. */
export const ICON_STATES = [
  'healthy',
  'slow',
  'offline',
  'paused',
  'permission',
  'update',
  'declined',
  'pending',
  'gone',
] as const;
export type IconState = (typeof ICON_STATES)[number];

export interface Headline extends Sentence {
  icon: IconState;
  /** Set where the headline is a verdict. */
  cause: Cause | null;
}

/** The connection was lost, or never came about though the device is enrolled. */
export const isOffline = (state: ServiceState): boolean =>
  state.server !== null && !state.connected && (state.offlineSinceMs !== null || state.problem !== null);

const measuredWhy = (words: Words, one: Measured, two?: Measured): string | null => {
  const known = one.value !== null || (two !== undefined && two.value !== null);
  const why = one.unavailable ?? two?.unavailable ?? null;
  return known || why === null ? null : words.t(`why.${why}`);
};

/** "9 readings wait here", the dropped ones, and what keeps them here. */
export function offlineDetail(words: Words, state: ServiceState): string {
  const { t } = words;
  const parts = [
    state.waiting > 0 ? t('state.offline.waiting', { n: state.waiting }) : t('state.offline.empty'),
    state.dropped > 0 ? t('state.offline.dropped', { n: state.dropped }) : '',
    state.problem === null || state.problem === 'network' ? '' : t(`problem.${state.problem}`),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

export function offlineTitle(words: Words, state: ServiceState, nowMs: number): string {
  const { offlineSinceMs } = state;
  const since = offlineSinceMs === null ? '' : sinceWords(words, offlineSinceMs, nowMs);
  return words.t('state.offline.title', { since }).trim();
}

/** Why a permission is asked for, and where it is given. */
export function permissionWords(words: Words, missing: ServiceState['missingPermissions'][number], platform: Platform): Sentence {
  if (missing === 'local_network')
    return { title: words.t('permission.local_network'), detail: words.t('permission.local_network.do') };
  const what = words.t(`permission.location.${platform}.do`);
  return { title: words.t(`permission.location.${platform}`), detail: `${what} ${words.t('permission.location.note')}` };
}

/** "8 more devices at your site have the same problem since 08:55.", or nothing where nobody told. */
export function sharedWords(words: Words, { shared }: Pick<ServiceState, 'shared'>, nowMs: number): string {
  if (!shared) return '';
  const since = shared.sinceMs === null ? '' : ` ${sinceWords(words, shared.sinceMs, nowMs)}`;
  return words.t('state.shared', { n: shared.others, since });
}

function withoutVerdict(words: Words, state: ServiceState): Headline {
  const { t } = words;
  const wifi = measuredWhy(words, state.wifi.rssiDbm, state.wifi.signalPercent);
  const gateway = measuredWhy(words, state.gateway.rttMs);
  if (wifi === null || gateway === null)
    return { icon: 'pending', cause: null, title: t('state.pending.title'), detail: t('state.pending.detail') };
  return { icon: 'pending', cause: null, title: t('state.nothing.title'), detail: t('state.nothing.detail', { wifi, gateway }) };
}

/** States in which nothing is measured, or in which the reader is asked to act before all else. */
function exceptional(words: Words, state: ServiceState, nowMs: number): Headline | null {
  const { t } = words;
  const plain = (icon: IconState, title: string, detail: string): Headline => ({ icon, cause: null, title, detail });
  if (state.state === 'declined' || state.disclosure === 'declined')
    return plain('declined', t('state.declined.title'), t('state.declined.detail'));
  // Whoever is measured already was shown something: then a policy wants more.
  if (state.disclosure === 'not_shown' && state.verdict) return plain('pending', t('state.more.title'), t('state.more.detail'));
  if (state.disclosure === 'not_shown') return plain('pending', t('state.notShown.title'), t('state.notShown.detail'));
  if (state.pausedUntilMs !== null)
    return plain(
      'paused',
      t('state.paused.title', { until: untilWords(words, state.pausedUntilMs, nowMs) }),
      t('state.paused.detail'),
    );
  if (state.state === 'update_required' || state.problem === 'upgrade_required')
    return plain('update', t('state.update.title'), t('state.update.detail'));
  return null;
}

/**
 * The one thing a face says first. A slow verdict goes before "offline": it is its likely reason and names what to try; what
 * stands behind it comes as a notice on the page.
 */
export function headline(words: Words, face: Face, where: { nowMs: number; platform: Platform }): Headline {
  const { t } = words;
  if (!face.reachable) return { icon: 'gone', cause: null, title: t('state.gone.title'), detail: t('state.gone.detail') };
  const { state } = face;
  const first = exceptional(words, state, where.nowMs);
  if (first) return first;
  const { verdict } = state;
  if (verdict && verdict.cause !== 'none')
    return { icon: 'slow', cause: verdict.cause, ...verdictSentence(words, verdict, where.nowMs) };
  const [missing] = state.missingPermissions;
  if (missing)
    return {
      icon: 'permission',
      cause: null,
      title: t('state.permission.title'),
      detail: permissionWords(words, missing, where.platform).title,
    };
  if (isOffline(state))
    return { icon: 'offline', cause: null, title: offlineTitle(words, state, where.nowMs), detail: offlineDetail(words, state) };
  if (!verdict) return withoutVerdict(words, state);
  // Green is for devices of which all was measured: what is off, partial or only begun gets no light.
  const isHealthy = healthOf(verdict) === 'healthy';
  const calm = isHealthy ? ({ icon: 'healthy', cause: 'none' } as const) : ({ icon: 'pending', cause: null } as const);
  return { ...calm, ...verdictSentence(words, verdict, where.nowMs) };
}

/** Icon, tooltip and the first line of the tray's menu. */
export function trayWords(
  words: Words,
  face: Face,
  where: { nowMs: number; platform: Platform },
): { icon: IconState; sentence: string; tooltip: string } {
  const { icon, title, detail } = headline(words, face, where);
  const advice = icon === 'slow' && face.reachable ? suggestion(words, face.state.verdict, face.state.context) : '';
  const sentence = `${title}. ${detail}`.trim();
  return { icon, sentence, tooltip: advice === '' ? sentence : `${title}. ${advice}` };
}
