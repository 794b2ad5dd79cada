import type { DeviceView, EndpointRow } from '@svc/contracts/endpoint/view';
import { adviceWords } from '@svc/contracts/judged/advice';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lastList } from '../../../ui/address/last-list.ts';
import { parseSearch } from '../../../ui/address/search-params.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { osWords } from '../../../ui/devices/os-words.ts';
import { permissionName } from '../../../ui/devices/permission-words.ts';
import { factsOfRow } from '../../../ui/judged/facts.ts';
import { faultEvidence } from '../../../ui/judged/fault-evidence.ts';
import { RowVerdictIcon } from '../../../ui/judged/row-verdict.tsx';
import { Sentence } from '../../../ui/moments/sentence.tsx';
import { Time, useNow } from '../../../ui/moments/time.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { deviceName } from '../../../ui/words/device-name.ts';
import { formatPercent, joinWords } from '../../../ui/words/format.ts';
import { deviceSentence } from './device-sentence.ts';
import { isUnjudged } from './window-note.tsx';

const OUTDATED = 'older than this server offers';

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
    <Breadcrumb
      here={<span className="crumb-here">{deviceName(row.name, row.id)}</span>}
      search={list ? parseSearch(list.query) : {}}
    >
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
    </Breadcrumb>
  );
}

function Identity({ row }: { row: EndpointRow }) {
  const now = useNow(5_000);
  return (
    <div className="row id">
      <b className="med">{deviceName(row.name, row.id)}</b>
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
          Last contact <Time at={row.last_contact_at} show="ago" now={now} /> ago
        </span>
      ) : (
        <span>Never in contact</span>
      )}
    </div>
  );
}

/** What speaks for the fault, and who can act on it. */
function FaultEvidence({ row }: { row: EndpointRow }) {
  const facts = factsOfRow(row);
  const rows = facts ? faultEvidence(facts) : [];
  if (rows.length === 0) return null;
  return (
    <dl className="evidence" aria-label="What speaks for it">
      {rows.map(({ label, words }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="num">{words}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Who, how, since when, how sure, and the one thing to try. */
export function DeviceHead({ view, actions }: { view: DeviceView; actions: ReactNode }) {
  const row = view.endpoint;
  return (
    <>
      <Crumb row={row} />
      <div className="dh">
        <div className="grow">
          <Identity row={row} />
          <h1>
            <span className="big">
              <RowVerdictIcon row={row} size={22} />
            </span>
            <span>
              {isUnjudged(view) && row.verdict === 'no_contact' ? (
                'Nothing was judged in this time.'
              ) : (
                <Sentence parts={deviceSentence(row)} />
              )}
            </span>
          </h1>
          {row.confidence !== null && row.verdict_since ? (
            <p className="soft">
              <b>{describeConfidence(row.confidence)}</b> ({formatPercent(row.confidence)})
              {row.verdict === 'none' ? (
                <>
                  , since <Time at={row.verdict_since} />
                </>
              ) : null}
              .
            </p>
          ) : null}
          <FaultEvidence row={row} />
          {view.advice ? (
            <div className="try">
              <b>{view.advice.shared ? 'For whoever runs this place' : 'One thing to try'}</b>
              <span>{adviceWords(view.advice)}</span>
            </div>
          ) : null}
        </div>
        {actions}
      </div>
    </>
  );
}
