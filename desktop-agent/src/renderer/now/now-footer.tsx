import type { ServiceState } from '@svc/contracts/agent/ipc';
import { useEffect, useRef } from 'react';
import { pauseChoices } from '../../i18n/moments.ts';
import type { IconState } from '../../i18n/state-words.ts';
import { useStore } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

interface NowFooterProps {
  state: ServiceState;
  now: number;
  icon: IconState;
}

function TestButton({ state, now, run }: { state: ServiceState; now: number; run: () => void }) {
  const words = useWords();
  const { test } = state;
  const idle = state.pausedUntilMs !== null;
  const busy = test?.running ?? false;
  return (
    <button
      type="button"
      className={idle ? 'btn' : 'btn primary'}
      aria-disabled={busy || idle}
      title={idle ? words.t('test.whilePaused') : undefined}
      onClick={() => {
        if (!busy && !idle) run();
      }}
    >
      {busy ? null : <Icon name="play" size={12} />}
      {busy && test ? words.t('test.busy', { duration: words.duration(test.endsMs - now) }) : words.t('menu.testNow')}
    </button>
  );
}

/** Pause, or what ends it: each takes the place, and the focus, of the other. */
function PauseControl({ state, now, run }: { state: ServiceState; now: number; run: (minutes: number) => void }) {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const paused = state.pausedUntilMs !== null;
  const before = useRef(paused);
  useEffect(() => {
    if (before.current !== paused && document.activeElement === document.body) box.current?.querySelector('button')?.focus();
    before.current = paused;
  }, [paused]);
  const choices = pauseChoices(words, state.maxPauseMinutes, now);
  return (
    <div ref={box}>
      {paused ? (
        <button type="button" className="btn primary" onClick={() => run(0)}>
          {words.t('menu.resume')}
        </button>
      ) : (
        <MenuButton
          label={words.t('menu.pause')}
          items={choices.map(({ label, minutes }) => ({ label, onSelect: () => run(minutes) }))}
        />
      )}
    </div>
  );
}

/** What can be done now: test, pause or resume, tell the helpdesk. */
export function NowFooter({ state, now, icon }: NowFooterProps) {
  const words = useWords();
  const store = useStore();
  const test = useCall('testNow');
  const pause = useCall('pause');
  const fault = test.fault ?? pause.fault;
  return (
    <>
      {fault ? (
        <p className="fault" role="alert">
          {faultWords(words, fault)}
        </p>
      ) : null}
      {icon === 'declined' ? null : (
        <>
          <TestButton state={state} now={now} run={() => void test.run({})} />
          <PauseControl state={state} now={now} run={(minutes) => void pause.run({ minutes })} />
        </>
      )}
      <span className="space" />
      <button type="button" className="btn" onClick={() => store.openPage('helpdesk')}>
        <Icon name="copy" size={14} />
        {words.t('menu.helpdesk')}
      </button>
    </>
  );
}
