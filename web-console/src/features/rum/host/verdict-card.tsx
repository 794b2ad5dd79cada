import type { RumVerdict } from '@svc/contracts/rum/kinds';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Time } from '../../../ui/moments/time.tsx';
import { RUM_VERDICT_ICONS } from '../../../ui/rum/verdict-words.ts';
import { formatCount, formatMs, formatPercent, joinWords, plural } from '../../../ui/words/format.ts';
import type { RumHost } from '../rum-queries.ts';
import { lcpFrom } from '../rum-words.ts';

type Verdict = RumHost['verdict'];

const CELLS: Readonly<Record<RumVerdict, { word: string; signal: string }>> = {
  healthy: { word: 'Healthy', signal: 'no signal' },
  synthetic_only_no_user_impact: { word: 'Tests fail, users fine', signal: 'no signal from here' },
  user_only_synthetic_blind: { word: 'Users hurt, tests blind', signal: 'warns once' },
  user_impact_confirmed: { word: 'Users hurt, tests confirm', signal: 'warns once' },
};

/** Two questions, four answers; under them both rules with their figures. */
export function VerdictCard({ view: { verdict } }: { view: RumHost }) {
  const isJudged = verdict.sufficient || verdict.verdict !== 'healthy';
  return (
    <section className="card" aria-labelledby="verdict-h">
      <header>
        <h2 id="verdict-h">Verdict</h2>
        <span className="s mute">
          two questions, four answers
          {verdict.judged_at ? (
            <>
              ; judged <Time at={verdict.judged_at} />
            </>
          ) : null}
        </span>
      </header>
      <table className="rum-matrix">
        <thead>
          <tr>
            <th scope="col">
              <span className="sr">Users, tests</span>
            </th>
            <th scope="col">Tests fine</th>
            <th scope="col">Tests fail</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Users fine</th>
            <Cell of="healthy" verdict={verdict} isJudged={isJudged} />
            <Cell of="synthetic_only_no_user_impact" verdict={verdict} isJudged={isJudged} />
          </tr>
          <tr>
            <th scope="row">Users hurt</th>
            <Cell of="user_only_synthetic_blind" verdict={verdict} isJudged={isJudged} />
            <Cell of="user_impact_confirmed" verdict={verdict} isJudged={isJudged} />
          </tr>
        </tbody>
      </table>
      {isJudged ? null : (
        <p className="s soft rum-unjudged">
          No answer yet: {plural(verdict.users.views, 'view')} in {verdict.window_minutes} min, {verdict.users.views_needed} are
          needed. REST says healthy with sufficient: false.
        </p>
      )}
      <dl className="rum-why">
        <Users half={verdict.users} />
        <Tests half={verdict.tests} judgedAt={verdict.judged_at} />
      </dl>
    </section>
  );
}

function Cell({ of, verdict, isJudged }: { of: RumVerdict; verdict: Verdict; isJudged: boolean }) {
  const here = isJudged && verdict.verdict === of;
  const { word, signal } = CELLS[of];
  return (
    <td className={here ? 'here' : undefined} aria-current={here ? 'true' : undefined}>
      {here ? <span className="sr">Now: </span> : null}
      <span className="rum-answer">
        <Icon name={RUM_VERDICT_ICONS[of]} />
        <b>{word}</b>
      </span>
      <small>
        {here && verdict.signalled_at ? (
          <>
            warned once, <Time at={verdict.signalled_at} />
          </>
        ) : (
          signal
        )}
      </small>
      {here && verdict.since ? (
        <small>
          since <Time at={verdict.since} />
        </small>
      ) : null}
    </td>
  );
}

function Half({ holds, name, children }: { holds: boolean; name: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Icon name={holds ? 'check' : 'dash'} size={14} />
        {name}
        <span className="sr">{holds ? ': yes' : ': no'}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function Users({ half }: { half: Verdict['users'] }) {
  return (
    <Half holds={half.degraded} name="Users hurt">
      p75 LCP{' '}
      {half.p75_lcp_ms === null ? <span className="mute">too few</span> : <b className="num">{formatMs(half.p75_lcp_ms)}</b>},
      from {lcpFrom(half.lcp_ms_from)} on. Errors{' '}
      {half.error_rate === null ? <span className="mute">too few</span> : <b className="num">{formatPercent(half.error_rate)}</b>}
      , from {formatPercent(half.error_rate_from)} on. <b className="num">{plural(half.views, 'view')}</b>, {half.views_needed}{' '}
      needed.
      {half.affected_views > 0 ? (
        <>
          {' '}
          <b className="num">
            {formatCount(half.affected_views)} of {formatCount(half.views)}
          </b>{' '}
          {half.affected_views === 1 ? 'was' : 'were'} hurt, {formatCount(half.hurt_views)} by an error or a failed request.
        </>
      ) : null}
    </Half>
  );
}

function Tests({ half, judgedAt }: { half: Verdict['tests']; judgedAt: string | null }) {
  if (judgedAt === null)
    return (
      <Half holds={false} name="Tests fail">
        Not looked at yet: the first beacon has this host judged, with the tests of it that there are.
      </Half>
    );
  if (!half.tested)
    return (
      <Half holds={false} name="Tests fail">
        No http, https or browser test of this host, so nothing confirms what users see. <Link to="/tests">Open Tests</Link>
      </Half>
    );
  return (
    <Half holds={half.degraded} name="Tests fail">
      <b className="num">
        {half.failed} of {half.runs}
      </b>{' '}
      runs failed{half.ratio === null ? '' : ', '}
      {half.ratio === null ? null : <b className="num">{formatPercent(half.ratio)}</b>}, from {formatPercent(half.ratio_from)} on,
      of at least {half.runs_needed}. Counted: {joinWords(half.types)}, none in maintenance.
      {half.failing.length > 0 ? (
        <span className="rum-failing">
          {half.failing.map(({ id, name, failed, runs }) => (
            <span key={id}>
              <Link to="/tests/$id" params={{ id }}>
                {name}
              </Link>{' '}
              {failed} of {runs}
            </span>
          ))}
        </span>
      ) : null}
    </Half>
  );
}
