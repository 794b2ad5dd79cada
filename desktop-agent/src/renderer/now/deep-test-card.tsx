import type { DeepTestView } from '@svc/contracts/agent/deep-test';
import { DEEP_TEST_PARTS } from '@svc/contracts/agent/deep-test-facts';
import type { ServiceState } from '@svc/contracts/agent/ipc';
import { deepFindings, deepTestCost, type Finding } from '../../i18n/deep-words.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { faultWords, useCall } from '../use-call.ts';
import { useWords } from '../words-context.ts';

const ICONS: Readonly<Record<Finding['tone'], IconName>> = { good: 'check', bad: 'warning', unknown: 'unknown' };

function Findings({ test }: { test: DeepTestView }) {
  const words = useWords();
  return (
    <dl className="deep">
      {deepFindings(words, test).map(({ part, tone, text }) => (
        <div key={text} className={tone}>
          <dt>
            <Icon name={ICONS[tone]} size={12} />
            {words.t(`deep.part.${part}`)}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Progress({ test, now }: { test: DeepTestView; now: number }) {
  const words = useWords();
  const all = Math.max(1, test.endsMs - test.startedMs);
  const open = DEEP_TEST_PARTS.filter((part) => !test.done.includes(part)).map((part) => words.t(`deep.part.${part}`));
  return (
    <div className="testing">
      {test.done.includes('line') ? null : <p>{words.t('deep.running')}</p>}
      <progress max={all} value={Math.min(all, Math.max(0, now - test.startedMs))} aria-label={words.t('deep.title')} />
      <p className="mute xs">{open.join(' · ')}</p>
    </div>
  );
}

/** A test that a person asks for, with what it costs beside its button, and what it found. */
export function DeepTestCard({ state, now }: { state: ServiceState; now: number }) {
  const words = useWords();
  const { run, fault } = useCall('testDeeper');
  const { deepTest: test } = state;
  const running = test?.running ?? false;
  const busy = running || (state.test?.running ?? false);
  const time = words.clock(test?.startedMs ?? now);
  return (
    <section>
      <h2>{words.t('deep.title')}</h2>
      <div className="deep-ask">
        <p className="soft">{deepTestCost(words)}</p>
        <button type="button" className="btn" aria-disabled={busy} onClick={() => (busy ? undefined : void run({}))}>
          {running && test ? words.t('deep.busy', { duration: words.duration(test.endsMs - now) }) : words.t('deep.button')}
        </button>
      </div>
      {fault ? (
        <p className="fault" role="alert">
          {faultWords(words, fault)}
        </p>
      ) : null}
      {running && test ? <Progress test={test} now={now} /> : null}
      <p role="status" className={test && !running ? 'answered xs mute' : 'sr'}>
        {test && !running ? words.t(test.failed ? 'deep.failed' : 'deep.done', { time }) : null}
      </p>
      {test ? <Findings test={test} /> : null}
    </section>
  );
}
