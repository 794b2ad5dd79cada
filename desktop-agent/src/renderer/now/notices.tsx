import type { ServiceState } from '@svc/contracts/agent/ipc';
import { type Headline, isOffline, offlineDetail, offlineTitle, type Platform, permissionWords } from '../../i18n/state-words.ts';
import { Notice } from '../ui/notice.tsx';
import { useWords } from '../words-context.ts';

interface NoticesProps {
  state: ServiceState;
  head: Headline;
  platform: Platform;
  now: number;
}

/** What is true beside the headline: a missing permission with what to do, results that wait, a device of nobody. */
export function Notices({ state, head, platform, now }: NoticesProps) {
  const words = useWords();
  if (head.icon === 'declined' || head.icon === 'paused') return null;
  return (
    <>
      {state.missingPermissions.map((missing, index) => {
        const { title, detail } = permissionWords(words, missing, platform);
        const said = head.icon === 'permission' && index === 0;
        return (
          <Notice key={missing} icon="permission" title={said ? undefined : title}>
            {detail}
          </Notice>
        );
      })}
      {head.icon === 'update' && state.waiting > 0 ? (
        <Notice icon="clock">{words.t('state.offline.waiting', { n: state.waiting })}</Notice>
      ) : null}
      {head.icon !== 'offline' && head.icon !== 'update' && isOffline(state) ? (
        <Notice icon="offline" title={`${offlineTitle(words, state, now)}.`}>
          {offlineDetail(words, state)}
        </Notice>
      ) : null}
      {state.server === null ? <Notice icon="person">{words.t('state.notEnrolled')}</Notice> : null}
    </>
  );
}
