import type { ServiceState } from '@svc/contracts/agent/ipc';
import { type Headline, headline, sharedWords } from '../../i18n/state-words.ts';
import { suggestion } from '../../i18n/verdict-words.ts';
import type { Snapshot } from '../store.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { PageFrame } from '../ui/page.tsx';
import { useNow } from '../use-now.ts';
import { useWords } from '../words-context.ts';
import { DeepTestCard } from './deep-test-card.tsx';
import { LayerChain } from './layer-chain.tsx';
import { Notices } from './notices.tsx';
import { NowFooter } from './now-footer.tsx';
import { PathCard } from './path-card.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { StripCard } from './strip-card.tsx';
import { TestAnswer, TestProgress } from './test-progress.tsx';

/** Nothing is measured in these: old figures would pass for present ones. */
const SILENT: readonly string[] = ['paused', 'declined', 'gone'];

const iconOf = ({ icon, cause }: Headline): IconName => (icon === 'slow' || icon === 'healthy' ? (cause ?? 'none') : icon);

/** What is around, for the line below the verdict; a sign-in page is only likely where the verdict is not of one. */
const contextOf = ({ context, verdict }: ServiceState): ServiceState['context'] =>
  verdict?.fault?.kind === 'captive_portal' ? { ...context, captivePortal: null } : context;

function Verdict({ head, extra, context }: { head: Headline; extra: string; context: ServiceState['context'] | null }) {
  const words = useWords();
  const KEYS = ['captivePortal', 'vpn', 'metered', 'onBattery', 'resumed'] as const;
  const around = KEYS.filter((key) => context?.[key]).map((key) => words.t(`context.${key}`));
  return (
    <div className="verdict">
      <span className={`v v-${head.cause ?? head.icon}`}>
        <Icon name={iconOf(head)} size={20} />
      </span>
      <div>
        <h1 tabIndex={-1}>{head.title}</h1>
        <p className="soft">
          {head.detail} {extra ? <span className="num nowrap">{extra}</span> : null}
        </p>
        {around.length > 0 ? <p className="mute xs">{around.join(' · ')}</p> : null}
      </div>
    </div>
  );
}

function Evidence({ state, now }: { state: ServiceState; now: number }) {
  return (
    <>
      {state.verdict ? <LayerChain verdict={state.verdict} /> : null}
      <PathCard paths={state.paths} verdict={state.verdict} />
      <SessionsCard sessions={state.sessions} />
      <StripCard strip={state.strip} now={now} />
      <DeepTestCard state={state} now={now} />
    </>
  );
}

/** What is left to say below the headline: how long a pause lasts, when the service is tried again. */
function useExtra(snapshot: Snapshot, now: number): string {
  const words = useWords();
  const { link } = snapshot;
  if (!link.reachable) {
    const { nextTryMs } = link;
    return nextTryMs === null || nextTryMs <= now
      ? ''
      : words.t('state.gone.next', { duration: words.duration(nextTryMs - now) });
  }
  const until = link.state.pausedUntilMs;
  return until === null ? '' : `${words.t('state.paused.left', { duration: words.duration(until - now) })}.`;
}

/** Says the verdict, proves it below, and offers what can be done. */
export function NowPage({ snapshot, onReview }: { snapshot: Snapshot; onReview: () => void }) {
  const words = useWords();
  const { link, desktop, ended } = snapshot;
  const state = link.reachable ? link.state : null;
  const running = state?.test?.running ?? false;
  const isTicking = running || state?.deepTest?.running === true;
  const now = useNow(isTicking || !state || state.pausedUntilMs !== null ? 1000 : 15_000);
  const head = headline(words, link, { nowMs: now, platform: desktop.platform });
  const silent = SILENT.includes(head.icon);
  const shared = state && !silent ? sharedWords(words, state, now) : '';
  const extra = useExtra(snapshot, now);
  const isBad =
    head.icon === 'slow' ||
    Boolean(state?.verdict?.fault) ||
    (state && !state.verdict && head.title === words.t('state.nothing.title'));
  const advice =
    state && !silent && (isBad || ended || state.context.captivePortal) ? suggestion(words, state.verdict, state.context) : '';
  return (
    <PageFrame tab="now" footer={state ? <NowFooter state={state} now={now} icon={head.icon} /> : undefined}>
      <Verdict head={head} extra={extra} context={state && !silent ? contextOf(state) : null} />
      {head.icon === 'declined' ? (
        <p className="below">
          <button type="button" className="btn" onClick={onReview}>
            {words.t('menu.seeCollected')}
          </button>
        </p>
      ) : null}
      {running && state?.test ? <TestProgress test={state.test} now={now} /> : null}
      {shared ? <p className="soft below">{shared}</p> : null}
      {advice && !running ? (
        <div className="try">
          <b>{words.t('try.label')}</b> {advice}
        </div>
      ) : null}
      <TestAnswer ended={running ? null : ended} answer={`${head.title}. ${head.detail} ${advice}`} />
      {state ? <Notices state={state} head={head} platform={desktop.platform} now={now} /> : null}
      {state && !silent ? <Evidence state={state} now={now} /> : null}
      {state && head.icon === 'paused' ? <StripCard strip={state.strip} now={now} /> : null}
    </PageFrame>
  );
}
