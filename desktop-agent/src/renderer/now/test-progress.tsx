import type { TestView } from '@svc/contracts/agent/ipc';
import type { EndedTest } from '../store.ts';
import { Icon } from '../ui/icon.tsx';
import { useWords } from '../words-context.ts';

const PARTS = ['wifi', 'route', 'sessions', 'resolvers', 'verdict'] as const;

/** Which parts are done, and how much of the time at most is over. */
export function TestProgress({ test, now }: { test: TestView; now: number }) {
  const { t } = useWords();
  const all = Math.max(1, test.endsMs - test.startedMs);
  const over = Math.min(all, Math.max(0, now - test.startedMs));
  return (
    <div className="testing">
      <p>{t('test.running')}</p>
      <progress max={all} value={over} aria-label={t('menu.testNow')} />
      <ul>
        {PARTS.map((part) => {
          const done = test.done.includes(part);
          const name = t(`test.part.${part}`);
          return (
            <li key={part} className={done ? 'done' : ''}>
              <Icon name={done ? 'check' : 'pending'} size={12} />
              <span aria-hidden="true">{name}</span>
              <span className="sr">{done ? t('test.partDone', { name }) : name}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The answer of a test, told to a screen reader as well; the headline above is the same sentence. */
export function TestAnswer({ ended, answer }: { ended: EndedTest | null; answer: string }) {
  const words = useWords();
  if (!ended) return <p role="status" className="sr" />;
  const time = words.clock(ended.atMs);
  const text = ended.failed ? words.t('test.failed', { time }) : words.t('test.done', { time });
  return (
    <p role="status" className="answered xs mute">
      {text}
      {ended.failed ? null : <span className="sr"> {answer}</span>}
    </p>
  );
}
