import './rules.css';
import type { Connector } from '@svc/contracts/notify/connector';
import type { Rule } from '@svc/contracts/notify/rule';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { useSearchChange } from '../../ui/address/use-search-change.ts';
import { Button } from '../../ui/controls/controls.tsx';
import { loadChunk } from '../../ui/lost-chunk/load-chunk.ts';
import { MAY_NOT } from '../../ui/notify/may-not.ts';
import { connectorsQuery, rulesQuery } from '../../ui/notify/notify-queries.ts';
import { NotifyTabs } from '../../ui/notify/notify-tabs.tsx';
import { describeLeftOut, describeRules, leftOutBy } from '../../ui/notify/rules-effect.ts';
import { useMay } from '../../ui/permission/use-may.ts';
import { EmptyState, Ghost } from '../../ui/placeholders/empty-state.tsx';
import { Failure } from '../../ui/placeholders/failure.tsx';
import type { RulesSearch } from './rules-search.ts';
import { editorOf, RulesTable } from './rules-table.tsx';

const RuleEditor = lazy(loadChunk(() => import('./rule-editor.tsx').then((module) => ({ default: module.RuleEditor }))));

const route = getRouteApi('/notify/rules');

/** Which incidents go where, and who is told where no rule says it? */
export function RulesPage() {
  const rules = useQuery(rulesQuery);
  const connectors = useQuery(connectorsQuery);
  const mayWrite = useMay('settings.write');
  const { edit } = route.useSearch();
  const change = useSearchChange<RulesSearch>();
  const items = rules.data?.items;
  const starter = useFocusBack(edit);
  return (
    <div className="page wide">
      <header className="pagehead">
        <div className="grow">
          <h1 aria-live="polite">
            {items ? describeRules(items, connectors.data?.items) : <Ghost width={360} says="Rules, loading" />}
          </h1>
          {items ? <Remainder rules={items} connectors={connectors.data?.items} /> : null}
        </div>
        {edit ? null : (
          <Button
            ref={starter}
            look="primary"
            icon="plus"
            unavailable={mayWrite ? undefined : MAY_NOT}
            onClick={() => change({ edit: 'new' })}
          >
            New rule
          </Button>
        )}
      </header>
      <NotifyTabs />
      {edit ? (
        <Editing edit={edit} rules={items} connectors={connectors.data?.items} onClose={() => change({ edit: undefined })} />
      ) : null}
      <section className="card" aria-labelledby="rules-h">
        <header>
          <h2 id="rules-h">Rules</h2>
          <span className="s mute">of several that fit, the earliest decides for each connector</span>
        </header>
        {rules.isError && !items ? (
          <Failure error={rules.error} retry={() => void rules.refetch()} />
        ) : items?.length === 0 ? (
          <NoRule />
        ) : (
          <RulesTable items={items} connectors={connectors.data?.items} onEdit={(id) => change({ edit: id })} />
        )}
      </section>
    </div>
  );
}

/** Once the editor is closed the focus goes back to what opened it, or to what makes a new rule. */
function useFocusBack(edit: string | undefined) {
  const starter = useRef<HTMLButtonElement>(null);
  const before = useRef(edit);
  useEffect(() => {
    const closed = edit === undefined ? before.current : undefined;
    before.current = edit;
    if (closed !== undefined) (document.getElementById(editorOf(closed)) ?? starter.current)?.focus();
  }, [edit]);
  return starter;
}

/** What the rules make of it for those that none of them is about. */
function Remainder({ rules, connectors }: { rules: readonly Rule[]; connectors: readonly Connector[] | undefined }) {
  if (!rules.some(({ enabled }) => enabled))
    return (
      <p className="soft">As soon as one rule is on, only the connectors that rules name are told, and only of what fits.</p>
    );
  return (
    <p className="soft">
      An incident that fits no rule reaches nobody. {connectors ? describeLeftOut(leftOutBy(rules, connectors)) : null} Without a
      rule that is on every connector would be told of every incident.
    </p>
  );
}

function NoRule() {
  return (
    <EmptyState icon="bell" title="No rule yet">
      <p>
        A rule says which incidents go where: by severity, kind, target, site and time of the week, after a delay, and not in
        quiet hours. Its preview shows which of the last 100 incidents it would have sent.
      </p>
    </EmptyState>
  );
}

interface EditingProps {
  edit: string;
  rules: readonly Rule[] | undefined;
  connectors: readonly Connector[] | undefined;
  onClose: () => void;
}

function Editing({ edit, rules, connectors, onClose }: EditingProps) {
  const mayWrite = useMay('settings.write');
  if (!mayWrite)
    return (
      <section className="card" aria-label="Rule">
        <EmptyState icon="lock" title="No permission">
          <p>{MAY_NOT}</p>
        </EmptyState>
      </section>
    );
  const loading = (
    <section className="card" aria-label="Rule" aria-busy="true">
      <p className="body">
        <Ghost width={320} says="Rule, loading" />
      </p>
    </section>
  );
  if (!rules || !connectors) return loading;
  const rule = rules.find(({ id }) => id === edit);
  if (edit !== 'new' && !rule)
    return (
      <section className="card" aria-label="Rule">
        <EmptyState icon="warning" title="There is no such rule any more">
          <p>
            Somebody deleted it.{' '}
            <button type="button" className="linkish" onClick={onClose}>
              Close the editor
            </button>
          </p>
        </EmptyState>
      </section>
    );
  return (
    <Suspense fallback={loading}>
      <RuleEditor key={edit} rule={rule} rules={rules} connectors={connectors} onClose={onClose} />
    </Suspense>
  );
}
