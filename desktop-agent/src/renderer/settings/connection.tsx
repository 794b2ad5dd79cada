import type { ServiceState } from '@svc/contracts/agent/ipc';
import type { DesktopView } from '../bridge.ts';
import { Facts } from '../ui/facts.tsx';
import { useWords } from '../words-context.ts';

interface ConnectionProps {
  state: ServiceState;
  keyStore: DesktopView['keyStore'];
  /** Since when it is offline, in words. */
  since: string | null;
}

/** Where results go, whether they get there, and what waits. */
export function Connection({ state, keyStore, since }: ConnectionProps) {
  const words = useWords();
  const { t } = words;
  const link = state.connected ? t('settings.connected') : since ? t('settings.notConnected', { since }) : t('settings.never');
  const problem = state.problem && !state.connected ? t(`problem.${state.problem}`) : '';
  return (
    <section>
      <h2>{t('settings.connection')}</h2>
      <Facts
        facts={[
          [t('settings.server'), state.server ?? t('settings.noServer')],
          [t('settings.organisation'), state.organisation],
          [t('settings.state'), state.server === null ? null : `${link}${problem ? `. ${problem}` : ''}`],
          [t('settings.waiting'), state.server === null ? null : t('settings.waitingValue', { n: state.waiting })],
          [t('settings.key'), t(`settings.key.${keyStore}`)],
        ]}
      />
    </section>
  );
}
