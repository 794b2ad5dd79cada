import type { SessionView } from '@svc/contracts/agent/ipc';
import { type CSSProperties, useState } from 'react';
import { codeWords, targetName } from '../../i18n/verdict-words.ts';
import { useWords } from '../words-context.ts';

/** So many fit above the strip without scrolling. */
const FIRST = 3;

/** Failed ones first, then the slowest; the control plane's own last: it is shown and never judged. */
export function sortSessions(sessions: readonly SessionView[]): SessionView[] {
  const rank = (session: SessionView): number => (session.role === 'control_plane' ? 2 : session.success ? 1 : 0);
  return [...sessions].sort((a, b) => rank(a) - rank(b) || (b.totalMs ?? 0) - (a.totalMs ?? 0));
}

function SessionRow({ session, longestMs }: { session: SessionView; longestMs: number }) {
  const words = useWords();
  const { t } = words;
  const target = targetName(session.target);
  const [host = target] = target.split('/');
  const name = session.role === 'control_plane' ? t('sessions.notJudged', { name: host }) : target;
  const share = session.totalMs === null ? 0 : Math.max(2, Math.round((session.totalMs / longestMs) * 100));
  const typical = session.typicalMs === null ? t('sessions.first') : t('sessions.typical', { time: words.ms(session.typicalMs) });
  return (
    <li>
      <span className="cut" title={session.target}>
        {name}
      </span>
      {session.success ? (
        <>
          <span className="line" aria-hidden="true">
            <i style={{ '--w': `${share}%` } as CSSProperties} />
          </span>
          <b className="num">{session.totalMs === null ? '' : words.ms(session.totalMs)}</b>
          <span className="mute num cut">{typical}</span>
        </>
      ) : (
        <b className="failed cut" title={session.error ?? undefined}>
          {t('sessions.failed', { error: codeWords(session.error) })}
        </b>
      )}
    </li>
  );
}

/** How long a fresh connection to each service takes: none of it is the person's own traffic. */
export function SessionsCard({ sessions }: { sessions: readonly SessionView[] }) {
  const { t } = useWords();
  const [all, setAll] = useState(false);
  const sorted = sortSessions(sessions);
  const longestMs = Math.max(1, ...sorted.map((session) => session.totalMs ?? 0));
  return (
    <section>
      <h2>{t('sessions.title')}</h2>
      {sorted.length === 0 ? <p className="mute s">{t('sessions.none')}</p> : null}
      <ul className="sessions">
        {sorted.slice(0, all ? sorted.length : FIRST).map((session) => (
          <SessionRow key={`${session.role} ${session.target}`} session={session} longestMs={longestMs} />
        ))}
      </ul>
      {sorted.length > FIRST ? (
        <button type="button" className="link" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? t('sessions.fewer') : t('sessions.all', { n: sorted.length })}
        </button>
      ) : null}
    </section>
  );
}
