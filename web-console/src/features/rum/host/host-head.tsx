import { Link } from '@tanstack/react-router';
import { Icon } from '../../../ui/controls/icons.tsx';
import { ToldSentence } from '../../../ui/moments/told-sentence.tsx';
import { Breadcrumb } from '../../../ui/page/breadcrumb.tsx';
import { formatCount, plural } from '../../../ui/words/format.ts';
import type { RumHost } from '../rum-queries.ts';
import { rowState } from '../rum-words.ts';

/** Where, who, since when in one line; the sentence, its remainder; what can be done at the right. */
export function HostHead({ view: { row, verdict, remainder } }: { view: RumHost }) {
  const { app, host, incident, usual_views } = row;
  return (
    <>
      <Breadcrumb here={<span className="crumb-here">{host}</span>} />
      <div className="head">
        <div className="grow">
          <div className="rum-id">
            <b>{app}</b>
            <span>{host}</span>
            <span>
              {plural(row.views, 'view')} in {verdict.window_minutes} min
              {usual_views === null ? '' : `, usually ${formatCount(Math.round(usual_views))}`}
            </span>
            {incident ? (
              <span className="rum-idmark">
                <Icon name="warning" size={12} />{' '}
                <Link to="/incidents/$id" params={{ id: incident.id }}>
                  Incident {incident.number}
                </Link>
              </span>
            ) : null}
          </div>
          <div className="rum-headline">
            <Icon name={rowState(row).icon} size={20} />
            <h1>
              <ToldSentence text={row.sentence} />
            </h1>
          </div>
          <p className="soft rum-say">
            <ToldSentence text={remainder} />
          </p>
        </div>
        <div className="rum-acts">
          <Link className="btn" to="/rum/$app" params={{ app }}>
            <Icon name="copy" size={14} /> Snippet and key
          </Link>
          {incident ? (
            <Link className="btn primary" to="/incidents/$id" params={{ id: incident.id }}>
              Open incident {incident.number}
            </Link>
          ) : null}
        </div>
      </div>
    </>
  );
}
