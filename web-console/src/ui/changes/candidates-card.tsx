import './changes.css';
import type { Candidate, IncidentChanges } from '@svc/contracts/changes/change';
import type { ChangeVerdict } from '@svc/contracts/changes/kinds';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { tell } from '../../api.ts';
import { Button } from '../controls/controls.tsx';
import { Time } from '../moments/time.tsx';
import { refusalWords } from '../permission/permission-words.ts';
import { useMay } from '../permission/use-may.ts';
import { Ghost } from '../placeholders/empty-state.tsx';
import { Failure } from '../placeholders/failure.tsx';
import { aboutChange, KIND_NAMES, placeOf, searchOfChange, tellLookedAt } from './change-words.ts';
import { incidentChangesKey, rootCauseKey, useIncidentChanges } from './use-incident-changes.ts';

/** More of them come by a click. */
const FEW = 5;
/** What the parts of a score weigh; its sentence says the same (docs/contract/changes.md). */
const WEIGHTS = { topology: 0.6, recency: 0.4 } as const;

/** Changes that may have caused an incident, the most likely first, with their scores taken apart. */
export function CandidatesCard({ incident }: { incident: string }) {
  const found = useIncidentChanges(incident);
  return (
    <section className="card" aria-labelledby="candidates-h">
      <header>
        <h2 id="candidates-h">What changed before</h2>
        {found.data ? <span className="s mute">{found.data.items.length === 0 ? 'no candidate' : 'by score'}</span> : null}
        <span className="grow" />
        {found.data && found.data.items.length > 0 ? (
          <span className="s chg-keys">
            <i className="chg-topology" /> where <i className="chg-recency" /> when
          </span>
        ) : null}
      </header>
      {found.data ? (
        <Candidates found={found.data} incident={incident} />
      ) : found.isError ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : (
        <p className="body">
          <Ghost width="70%" says="Changes before the incident, loading" />
        </p>
      )}
    </section>
  );
}

function Candidates({ found, incident }: { found: IncidentChanges; incident: string }) {
  const [all, setAll] = useState(false);
  const shown = all ? found.items : found.items.slice(0, FEW);
  return (
    <>
      {shown.length > 0 ? (
        <ol className="chg-candidates">
          {shown.map((candidate) => (
            <Row key={candidate.change.id} candidate={candidate} incident={incident} />
          ))}
        </ol>
      ) : null}
      <footer className="foot s mute chg-foot">
        <span>{tellLookedAt(found)}</span>
        {found.items.length > FEW ? (
          <button type="button" className="linkish" onClick={() => setAll(!all)}>
            {all ? 'Fewer' : `All ${found.items.length}`}
          </button>
        ) : null}
        <Link to="/changes" search={{ from: found.window.from, to: found.window.to }}>
          All changes of this time
        </Link>
      </footer>
    </>
  );
}

const VERDICT_WORDS: Readonly<Record<ChangeVerdict, string>> = { cause: 'Marked as the cause', ruled_out: 'Ruled out' };

function Row({ candidate, incident }: { candidate: Candidate; incident: string }) {
  const { change, score, sentence, topology, recency, verdict } = candidate;
  return (
    <li className={verdict?.verdict === 'ruled_out' ? 'ruled-out' : undefined}>
      <span className="chg-score num" title={`Score ${score.toFixed(3)} of 1`}>
        {score.toFixed(2)}
        <span className="chg-parts" aria-hidden="true">
          <i className="chg-topology" style={{ width: `${topology.score * WEIGHTS.topology * 100}%` }} />
          <i className="chg-recency" style={{ width: `${Math.max(0, recency.score) * WEIGHTS.recency * 100}%` }} />
        </span>
      </span>
      <div className="grow">
        <p>
          {change.url ? (
            <a href={change.url} target="_blank" rel="noreferrer">
              {change.title}
            </a>
          ) : (
            <b className="med">{change.title}</b>
          )}{' '}
          <span className="mute">
            <Link to="/changes" search={searchOfChange(change.number, change.occurred_at)}>
              {KIND_NAMES[change.kind]} {change.number}
            </Link>
            , <Time at={change.occurred_at} show="second" />
          </span>
        </p>
        <p className="s soft">{[placeOf(change), aboutChange(change)].filter(Boolean).join(', ')}</p>
        <p className="s mute" title={topology.why}>
          {sentence}
        </p>
        {verdict ? (
          <p className="s">
            <b className="med">{VERDICT_WORDS[verdict.verdict]}</b> by {verdict.by.name}, <Time at={verdict.at} />
          </p>
        ) : null}
        <Verdicts candidate={candidate} incident={incident} />
      </div>
    </li>
  );
}

function Verdicts({ candidate: { change, verdict }, incident }: { candidate: Candidate; incident: string }) {
  const queryClient = useQueryClient();
  const mayJudge = useMay('incident.write');
  const judge = useMutation({
    mutationFn: (next: ChangeVerdict | null) => tell('changes.judge', { id: incident, change: change.id, verdict: next }),
    // What a person says weighs in the root cause too.
    onSuccess: () =>
      Promise.all(
        [incidentChangesKey(incident), rootCauseKey(incident)].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  });
  const unavailable = mayJudge ? undefined : refusalWords('incident.write');
  const button = (next: ChangeVerdict, words: string) => (
    <Button
      look="quiet"
      unavailable={unavailable}
      busy={judge.isPending && judge.variables === next}
      aria-label={`${words}: ${change.title}`}
      onClick={() => judge.mutate(next)}
    >
      {words}
    </Button>
  );
  return (
    <div className="chg-acts">
      {verdict?.verdict === 'cause' ? null : button('cause', 'This caused it')}
      {verdict?.verdict === 'ruled_out' ? null : button('ruled_out', 'Rule it out')}
      {verdict ? (
        <Button
          look="quiet"
          unavailable={unavailable}
          aria-label={`Take back: ${change.title}`}
          onClick={() => judge.mutate(null)}
        >
          Take back
        </Button>
      ) : null}
      {judge.isError ? (
        <span className="err s" role="alert">
          {judge.error.message}
        </span>
      ) : null}
    </div>
  );
}
