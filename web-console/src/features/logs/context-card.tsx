import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api.ts';
import { Button, IconButton } from '../../ui/controls/controls.tsx';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure, isUnknownId } from '../../ui/placeholders/failure.tsx';
import type { Change } from './log-filters.tsx';
import { LogRow } from './log-row.tsx';
import { type LogsSearch, withOne } from './logs-search.ts';

const FIRST = 10;
const MOST = 200;

interface ContextProps {
  id: string;
  search: LogsSearch;
  onChange: Change;
  onClose: () => void;
}

/** The lines of the same service and resource around one, without any filter, oldest first. */
export function ContextCard({ id, search, onChange, onClose }: ContextProps) {
  const [lines, setLines] = useState(FIRST);
  const [open, setOpen] = useState<string>();
  const context = useQuery({
    queryKey: ['logs.context', id, lines],
    queryFn: ({ signal }) => ask('logs.context', { id, before: lines, after: lines }, signal),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  const data = context.data;
  return (
    <section className="card loglist" aria-labelledby="around-h">
      <header>
        <h2 id="around-h">Before and after</h2>
        <span className="s mute">
          {data ? `of ${data.record.service || 'the service'} on the same resource, oldest first, no filter` : ''}
        </span>
        <span className="grow" />
        {lines < MOST ? (
          <Button look="quiet" busy={context.isFetching} onClick={() => setLines(Math.min(MOST, lines * 4))}>
            More lines
          </Button>
        ) : null}
        <IconButton icon="cross" label="Close" onClick={onClose} />
      </header>
      {context.isError && !context.data && isUnknownId(context.error) ? <NoSuchRecord onClose={onClose} /> : null}
      {context.isError && !context.data && !isUnknownId(context.error) ? (
        <Failure error={context.error} retry={() => void context.refetch()} />
      ) : null}
      {!data && !context.isError ? (
        <div className="logline">
          <Ghost width="60%" />
        </div>
      ) : null}
      {data ? (
        <ol className="loglines">
          {[...data.before, data.record, ...data.after].map((record) => (
            <LogRow
              key={record.id}
              record={record}
              open={open === record.id}
              marked={record.id === data.record.id}
              onToggle={(one) => setOpen(open === one ? undefined : one)}
              onTest={(test) => onChange({ attribute: withOne(search.attribute, test) })}
              onAround={(around) => onChange({ around })}
            />
          ))}
        </ol>
      ) : null}
    </section>
  );
}

function NoSuchRecord({ onClose }: Pick<ContextProps, 'onClose'>) {
  return (
    <EmptyState icon="lines" title="There is no such log record" alert>
      <p>
        It is older than logs are kept, or the link is incomplete.{' '}
        <button type="button" className="linkish" onClick={onClose}>
          Show the lines without it
        </button>
      </p>
    </EmptyState>
  );
}
