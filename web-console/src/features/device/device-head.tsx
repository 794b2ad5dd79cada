import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint-view';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { summaryQuery } from '../../queries.ts';
import { formatAge, formatMoment, formatPercent, formatUtc, joinWords } from '../../ui/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { lastList } from '../../ui/last-list.ts';
import { osWords } from '../../ui/os-words.ts';
import { permissionName } from '../../ui/permission-words.ts';
import { parseSearch } from '../../ui/search-params.ts';
import { useNow } from '../../ui/time.tsx';
import { VerdictIcon } from '../../ui/verdict.tsx';
import { CAUSE_IN_SENTENCE, verdictWord } from '../../ui/verdict-words.ts';

const OUTDATED = 'older than this server offers';

/** The sentence of the page: the agent's own, or what its state means. */
export function deviceSentence(row: EndpointRow): string {
  if (row.verdict === 'paused') return `${verdictWord('paused', row.paused_until)}. Nothing is measured or sent.`;
  if (row.verdict === 'no_contact') {
    return row.last_contact_at
      ? `No contact since ${formatMoment(row.last_contact_at, Date.now())}. What it measured offline will arrive in order.`
      : 'Enrolled, but never heard from.';
  }
  if (row.verdict === 'needs_permission')
    return 'The operating system asks the person there for a permission before anything can be measured.';
  if (row.verdict === 'declined') return 'The person there declined to be measured.';
  if (row.verdict === 'update_required') return 'Its agent is too old to talk to this server. Update the agent.';
  if (row.verdict === 'pending') return 'A verdict is on its way: it takes about a minute and a half of measuring.';
  if (row.summary) return row.summary;
  if (row.verdict === 'none') return 'Healthy: every measured layer is within its limits.';
  return `Slow because of ${CAUSE_IN_SENTENCE[row.verdict]}.`;
}

function describeConfidence(confidence: number): string {
  if (confidence >= 0.8) return 'High confidence';
  return confidence >= 0.5 ? 'Medium confidence' : 'Low confidence';
}

function Crumb({ row }: { row: EndpointRow }) {
  const list = lastList();
  const at = list?.ids.indexOf(row.id) ?? -1;
  const [before, after] = list && at >= 0 ? [list.ids[at - 1], list.ids[at + 1]] : [];
  const step = (id: string | undefined, label: string, icon: 'left' | 'right'): ReactNode =>
    id ? (
      <Link to="/fleet/$id" params={{ id }} className="btn plain icon" aria-label={label} title={label}>
        <Icon name={icon} />
      </Link>
    ) : null;
  return (
    <nav className="crumb" aria-label="Place">
      <Link to="/fleet" search={list ? parseSearch(list.query) : {}}>
        Fleet
      </Link>
      <Icon name="right" size={12} />
      <span>{row.name ?? row.id}</span>
      <span className="grow" />
      {list && at >= 0 ? (
        <>
          <span className="num">
            {list.offset + at + 1} of {list.matched}
            {list.words ? `, ${list.words}` : ''}
          </span>
          {step(before, 'Previous device', 'left')}
          {step(after, 'Next device', 'right')}
        </>
      ) : null}
    </nav>
  );
}

function Identity({ row }: { row: EndpointRow }) {
  const now = useNow(5_000);
  return (
    <div className="row id">
      <b className="med">{row.name ?? row.id}</b>
      {row.simulated ? (
        <span>
          <span className="simulated">Simulated</span>
        </span>
      ) : null}
      {row.owner ? <span>{row.owner}</span> : null}
      {row.site ? <span>{row.site}</span> : null}
      {row.os ? <span>{osWords(row.os, row.os_version)}</span> : null}
      {row.agent_version ? (
        <span title={row.outdated ? OUTDATED : undefined}>
          Agent {row.agent_version}, {row.ring} ring
          {row.state === 'update_required' ? ', update required' : row.outdated ? ', outdated' : ''}
        </span>
      ) : null}
      {row.missing_permissions.length > 0 ? (
        <span>Needs permission: {joinWords(row.missing_permissions.map(permissionName))}</span>
      ) : null}
      {row.face === 'headless' ? <span>Headless</span> : null}
      {row.last_contact_at ? (
        <span>
          Last contact{' '}
          <time dateTime={row.last_contact_at} title={formatUtc(row.last_contact_at)}>
            {formatAge(now - Date.parse(row.last_contact_at))} ago
          </time>
        </span>
      ) : (
        <span>Never in contact</span>
      )}
    </div>
  );
}

/** Neighbours that hurt for the same cause, from the fleet's shared causes. */
function useNeighbours(row: EndpointRow): string | undefined {
  const shared = useQuery(summaryQuery).data?.shared;
  return shared?.find(
    (item) =>
      item.cause === row.verdict &&
      (item.site === null || item.site === row.site) &&
      (item.gateway === null || item.gateway === row.gateway_address),
  )?.sentence;
}

/** Who, how, since when, how sure, and the one thing to try. */
export function DeviceHead({ view, actions }: { view: DeviceView; actions: ReactNode }) {
  const row = view.endpoint;
  const neighbours = useNeighbours(row);
  return (
    <>
      <Crumb row={row} />
      <div className="dh">
        <div className="grow">
          <Identity row={row} />
          <h1>
            <span className="big">
              <VerdictIcon verdict={row.verdict} size={22} />
            </span>
            {deviceSentence(row)}
          </h1>
          {row.confidence !== null && row.verdict_since ? (
            <p className="soft">
              <b>{describeConfidence(row.confidence)}</b> ({formatPercent(row.confidence)}), since{' '}
              {formatMoment(row.verdict_since, Date.now())}. {neighbours}
            </p>
          ) : null}
          {view.suggestion ? (
            <div className="try">
              <b>One thing to try</b>
              <span>{view.suggestion}</span>
            </div>
          ) : null}
        </div>
        {actions}
      </div>
    </>
  );
}
