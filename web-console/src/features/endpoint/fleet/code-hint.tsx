import { looksLikeHelpdeskCode, readHelpdeskCode } from '@svc/contracts/agent/helpdesk-code';
import type { EndpointRow } from '@svc/contracts/endpoint/view';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/controls/icons.tsx';
import { searchAround } from '../../../ui/moments/moment-link.ts';
import { formatMoment } from '../../../ui/words/format.ts';

/** A code that somebody reads out in the search: whose it is and when, with the way there; nothing for another search. */
export function CodeHint({ search, rows }: { search: string | undefined; rows: readonly EndpointRow[] | undefined }) {
  if (!search || !looksLikeHelpdeskCode(search)) return null;
  const now = Date.now();
  const code = readHelpdeskCode(search, now);
  if (!code) return <Hint>A character of this helpdesk code is wrong or missing. Ask for it again.</Hint>;
  if (!rows) return null;
  const when = formatMoment(code.atMs, now);
  if (rows.length === 0) return <Hint>No device here has this helpdesk code. It may have been retired.</Hint>;
  const around = searchAround(code.atMs, now);
  return (
    <Hint>
      {rows.length > 1 ? `${rows.length} devices may have this code, copied ${when}: ` : `Copied ${when}: `}
      {rows.map((row, index) => (
        <span key={row.id}>
          {index > 0 ? ', ' : ''}
          <Link to="/fleet/$id" params={{ id: row.id }} search={around}>
            open {row.name ?? row.id.slice(-12)} at that minute
          </Link>
        </span>
      ))}
      {around.from ? '' : '. Device pages reach back 7 days, this is older'}
    </Hint>
  );
}

function Hint({ children }: { children: ReactNode }) {
  return (
    <p className="codehint row" role="status">
      <Icon name="key" size={14} />
      <span>{children}</span>
    </p>
  );
}
