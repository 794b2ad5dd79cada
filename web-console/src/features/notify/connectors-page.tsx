import './connectors.css';
import type { Connector } from '@svc/contracts/notify/connector';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { useDraftOpen } from '../../ui/draft/use-draft.ts';
import { Sentence } from '../../ui/moments/sentence.tsx';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { connectorsQuery, rulesQuery } from '../../ui/notify/notify-queries.ts';
import { NotifyTabs } from '../../ui/notify/notify-tabs.tsx';
import { describeLeftOut, describeRules, leftOutBy } from '../../ui/notify/rules-effect.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import { AddConnector, CONNECTOR_FORM } from './connector-form.tsx';
import { describeConnectors, describeTraffic } from './connector-words.ts';
import type { ConnectorsSearch } from './connectors-search.ts';
import { ConnectorsTable } from './connectors-table.tsx';

const route = getRouteApi('/notify');

/** Who is told of incidents, and does each answer? */
export function ConnectorsPage() {
  const list = useQuery(connectorsQuery);
  const mayWrite = useMay('settings.write');
  const [adding, setAdding] = useDraftOpen(CONNECTOR_FORM);
  const { open } = route.useSearch();
  const change = useSearchChange<ConnectorsSearch>();
  const items = list.data?.items;
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">
            {items ? <Sentence parts={describeConnectors(items)} /> : <Ghost width={360} says="Connectors, loading" />}
          </h1>
          {items ? <Remainder items={items} /> : null}
        </div>
        <Button look="primary" icon="plus" unavailable={mayWrite ? undefined : MAY_NOT} onClick={() => setAdding(true)}>
          Add a connector
        </Button>
      </header>
      <NotifyTabs />
      <section className="card" aria-labelledby="connectors-h">
        <header>
          <h2 id="connectors-h">Connectors</h2>
          <span className="s mute">they only tell, they change nothing; credentials are sealed and never shown again</span>
        </header>
        {list.isError && !items ? (
          <Failure error={list.error} retry={() => void list.refetch()} />
        ) : items?.length === 0 ? (
          <Nobody mayWrite={mayWrite} />
        ) : (
          <ConnectorsTable items={items} open={open} onOpen={(id) => change({ open: id })} />
        )}
      </section>
      {adding && mayWrite ? (
        <AddConnector
          onClose={(added) => {
            setAdding(false);
            if (added) change({ open: added.id });
          }}
        />
      ) : null}
    </div>
  );
}

function Nobody({ mayWrite }: { mayWrite: boolean }) {
  return (
    <EmptyState icon="bell" title="No connector yet">
      <p>
        A connector pages somebody, posts in a chat, opens a ticket or sends a mail when an incident opens, and closes it when the
        incident is over. {mayWrite ? 'Add one, then send a test.' : 'Someone with the role Administrator can add one.'}
      </p>
    </EmptyState>
  );
}

/** What went through, and what the rules make of it. */
function Remainder({ items }: { items: readonly Connector[] }) {
  const rules = useQuery(rulesQuery).data?.items;
  if (items.length === 0) return null;
  return (
    <p className="soft">
      {describeTraffic(items)}{' '}
      {rules ? (
        <>
          <Link to="/notify/rules">{describeRules(rules)}</Link> {describeLeftOut(leftOutBy(rules, items))}
        </>
      ) : null}
    </p>
  );
}
