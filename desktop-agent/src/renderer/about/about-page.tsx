import type { AboutView } from '@svc/contracts/agent/ipc';
import { useEffect, useState } from 'react';
import type { Words } from '../../i18n/words.ts';
import type { AgentBridge } from '../bridge.ts';
import { type Snapshot, useStore } from '../store.ts';
import { Facts } from '../ui/facts.tsx';
import { PageFrame } from '../ui/page.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

const REFRESH_MS = 10_000;

function useAbout(reachable: boolean) {
  const [view, setView] = useState<AboutView | null>(null);
  const { run, fault } = useCall('about');
  useEffect(() => {
    if (!reachable) return;
    const ask = () => void run({}).then((found) => found && setView(found));
    ask();
    const timer = setInterval(ask, REFRESH_MS);
    return () => clearInterval(timer);
  }, [run, reachable]);
  return { view, fault };
}

type OwnMemory = Awaited<ReturnType<AgentBridge['ownMemory']>>;

/** Read again as often as the service's own figures. */
function useOwnMemory(stamp: unknown): OwnMemory | null {
  const { bridge } = useStore();
  const [memory, setMemory] = useState<OwnMemory | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the stamp says when
  useEffect(() => {
    void bridge.ownMemory().then(setMemory);
  }, [bridge, stamp]);
  return memory;
}

function memoryWords({ t, bytes }: Words, memory: OwnMemory | null): string {
  if (!memory) return t('about.notYet');
  const open = bytes(memory.bytes);
  return memory.closedBytes === null
    ? t('about.memoryOpen', { bytes: open })
    : t('about.memoryBoth', { bytes: open, closed: bytes(memory.closedBytes) });
}

function Update({ snapshot }: { snapshot: Snapshot }) {
  const { t } = useWords();
  const { bridge } = useStore();
  const { update } = snapshot;
  if (!update) return null;
  return (
    <div className="notice act">
      <p className="grow">
        <b>{t('about.update', { version: update.version })}</b> {update.how === 'tell' ? t('about.updateTell') : null}
      </p>
      {update.how === 'restart' ? (
        <button type="button" className="btn primary" onClick={() => void bridge.restartForUpdate()}>
          {t('about.restart')}
        </button>
      ) : null}
    </div>
  );
}

const costOf = (words: Words, value: number | null, write: (value: number) => string): string =>
  value === null ? words.t('about.notYet') : write(value);

function Cost({ view }: { view: AboutView }) {
  const words = useWords();
  const own = useOwnMemory(view);
  const { t } = words;
  return (
    <section>
      <h2>{t('about.cost')}</h2>
      <Facts
        facts={[
          [
            t('about.cpu'),
            costOf(words, view.cpuRatio, (ratio) => t('about.cpuValue', { percent: words.withUnit(ratio * 100, '%', 2) })),
          ],
          [t('about.memory'), costOf(words, view.rssBytes, words.bytes)],
          [t('about.memoryWindow'), memoryWords(words, own)],
          [t('about.bytesDay'), costOf(words, view.sentBytesDay, words.bytes)],
          [t('about.ledger'), t('about.ledgerValue', { bytes: words.bytes(view.ledgerBytes) })],
        ]}
      />
    </section>
  );
}

/** Which version this is, who updates it, and what it costs this device. */
export function AboutPage({ snapshot }: { snapshot: Snapshot }) {
  const words = useWords();
  const { t } = words;
  const { reachable } = snapshot.link;
  const { view, fault } = useAbout(reachable);
  const problem = reachable ? fault : 'unreachable';
  return (
    <PageFrame tab="about">
      <h1 className="sr">{t('tab.about')}</h1>
      <Update snapshot={snapshot} />
      {problem ? (
        <p className="fault" role="alert">
          {faultWords(words, problem)}
        </p>
      ) : null}
      {view ? (
        <>
          <Facts
            facts={[
              [t('about.version'), view.version],
              [t('about.ring'), t(`about.ring.${view.ring ?? 'none'}`)],
              [t('about.installed'), t(`about.installed.${view.installedBy}`)],
              [
                t('about.lastUpdate'),
                view.lastUpdateMs === null
                  ? t('about.never')
                  : `${words.date(view.lastUpdateMs, Date.now())} ${words.clock(view.lastUpdateMs)}`,
              ],
              [t('about.agent'), view.agentId],
              [t('about.protocol'), words.number(view.protocol)],
            ]}
          />
          <Cost view={view} />
          <section>
            <h2>{t('about.folder')}</h2>
            <p className="s wrap">
              <code>{view.stateDir}</code>
            </p>
          </section>
          <p className="mute xs below">{t('about.font')}</p>
        </>
      ) : null}
    </PageFrame>
  );
}
