import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ask } from '../../../api.ts';
import type { Output, Trace, TraceSpan } from '../../../api-types.ts';
import { IconButton } from '../../../ui/controls/controls.tsx';
import { Icon } from '../../../ui/controls/icons.tsx';
import { Ghost } from '../../../ui/placeholders/empty-state.tsx';
import { describeFailure } from '../../../ui/placeholders/failure.tsx';
import { useServiceColor } from '../../../ui/services/service-colors.tsx';
import { formatPercent } from '../../../ui/words/format.ts';
import { writeAttribute } from '../attribute-text.ts';
import { codeWords } from './trace-fault.ts';
import { formatNs } from './trace-words.ts';

type Detail = Output<'traces.span'>;
type Tab = 'attributes' | 'events' | 'links' | 'resource';

interface SpanPanelProps {
  trace: Trace;
  span: TraceSpan;
  onClose: () => void;
}

/** All that was sent of one span. */
export function SpanPanel({ trace, span, onClose }: SpanPanelProps) {
  const [tab, setTab] = useState<Tab>('attributes');
  const serviceColor = useServiceColor();
  const detail = useQuery({
    queryKey: ['traces.span', trace.trace_id, span.id],
    queryFn: ({ signal }) => ask('traces.span', { id: trace.trace_id, span: span.id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const found = detail.data;
  return (
    <section className="card wf-panel" aria-label="Span">
      <header>
        <i className="wf-dot" style={{ background: serviceColor(span.service) }} aria-hidden="true" />
        <h2 title={span.name}>{span.name}</h2>
        <span className="grow" />
        <IconButton icon="cross" label="Close the span" onClick={onClose} />
      </header>
      <Summary trace={trace} span={span} />
      <div className="tabs" role="tablist" aria-label="Of this span">
        <TabButton name="attributes" tab={tab} count={found?.attributes.length} onTab={setTab} />
        {span.events > 0 ? <TabButton name="events" tab={tab} count={span.events} onTab={setTab} /> : null}
        {span.links > 0 ? <TabButton name="links" tab={tab} count={span.links} onTab={setTab} /> : null}
        <TabButton name="resource" tab={tab} count={found?.resource.length} onTab={setTab} />
      </div>
      <div className="wf-tab" role="tabpanel" aria-label={tab}>
        {detail.isPending ? <Ghost width="70%" /> : null}
        {detail.error && !detail.data ? <p className="err s wf-pad">{describeFailure(detail.error).text}</p> : null}
        {found ? <Part tab={tab} detail={found} trace={trace} /> : null}
      </div>
    </section>
  );
}

interface TabButtonProps {
  name: Tab;
  tab: Tab;
  count?: number | undefined;
  onTab: (tab: Tab) => void;
}

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  attributes: 'Attributes',
  events: 'Events',
  links: 'Links',
  resource: 'Resource',
};

function TabButton({ name, tab, count, onTab }: TabButtonProps) {
  return (
    <button type="button" role="tab" aria-selected={name === tab} onClick={() => onTab(name)}>
      {TAB_WORDS[name]} {count === undefined ? null : <span className="mute num">{count}</span>}
    </button>
  );
}

function Summary({ trace, span }: { trace: Trace; span: TraceSpan }) {
  const waited = span.critical.reduce((sum, at, index) => (index % 2 === 0 ? sum - at : sum + at), 0);
  return (
    <div className="wf-summary s">
      <p>
        <b>
          {formatNs(span.duration_ns)}, {formatPercent(trace.duration_ns > 0 ? span.duration_ns / trace.duration_ns : 0)} of the
          trace.
        </b>{' '}
        {span.own_ns === span.duration_ns ? 'All self time.' : `${formatNs(span.own_ns)} self time.`}{' '}
        {waited > 0 ? `${formatNs(waited)} on the critical path.` : 'Nothing waited for it.'}
      </p>
      <p className="mute">
        {span.service}
        {span.kind === 'unspecified' ? '' : `, ${span.kind}`}, {formatNs(span.start_ns)} after the start
      </p>
      {span.status === 'error' ? (
        <p className="err">
          <Icon name="warning" size={12} /> {span.status_message || codeWords(span.code) || 'Failed, without a message.'}
        </p>
      ) : null}
      {span.skew_ns > 0 ? (
        <p className="mute">Lies {formatNs(span.skew_ns)} outside its parent: the clocks of the two differ.</p>
      ) : null}
    </div>
  );
}

type Attribute = Detail['attributes'][number];

interface AttributesProps {
  items: readonly Attribute[];
  none?: string;
  /** Traces are searched by them. */
  searched?: boolean;
}

function Attributes({ items, none, searched = true }: AttributesProps) {
  if (items.length === 0) return <p className="mute s wf-pad">{none}</p>;
  return (
    <dl>
      {items.map(({ key, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sender may give a key twice, and the list never changes.
        <div key={`${key} ${index}`}>
          <dt title={key}>{key}</dt>
          <dd className={value.includes('\n') ? 'lines' : undefined}>
            {searched && value.length <= 300 ? (
              <Link
                to="/traces"
                search={{ attribute: [writeAttribute({ key, operator: '=', value })] }}
                title={`Traces with ${key} = ${value}`}
              >
                {value === '' ? 'empty' : value}
              </Link>
            ) : (
              value
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Dropped({ count }: { count: number }) {
  return count > 0 ? <p className="mute s wf-pad">{count} more were dropped by the sender.</p> : null;
}

function Schema({ url }: { url: string }) {
  return url === '' ? null : <p className="mute s wf-pad">Schema {url}</p>;
}

/** Who recorded the span: a library and its version. */
function Scope({ detail }: { detail: Detail }) {
  if (detail.scope === '' && detail.scope_attributes.length === 0 && detail.scope_schema_url === '') return null;
  return (
    <div className="wf-event">
      <h3>
        {detail.scope || 'Scope'} <span className="mute num">{detail.scope_version}</span>
      </h3>
      {detail.scope_attributes.length > 0 ? <Attributes items={detail.scope_attributes} searched={false} /> : null}
      <Dropped count={detail.dropped.scope} />
      <Schema url={detail.scope_schema_url} />
    </div>
  );
}

function Part({ tab, detail, trace }: { tab: Tab; detail: Detail; trace: Trace }): ReactNode {
  if (tab === 'attributes') {
    return (
      <>
        <Attributes items={detail.attributes} none="Sent without attributes." />
        <Dropped count={detail.dropped.attributes} />
      </>
    );
  }
  if (tab === 'resource') {
    return (
      <>
        <Attributes items={detail.resource} none="Sent without a resource." />
        <Dropped count={detail.dropped.resource} />
        <Schema url={detail.resource_schema_url} />
        <Scope detail={detail} />
      </>
    );
  }
  if (tab === 'events') {
    return detail.events.map((event, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: events have no id, and the list never changes.
      <div key={`${event.unix_nano} ${index}`} className="wf-event">
        <h3>
          {event.name}{' '}
          <span className="mute num">{formatNs(Number(BigInt(event.unix_nano) - BigInt(trace.start_unix_nano)))}</span>
        </h3>
        <Attributes items={event.attributes} none="Without attributes." />
        <Dropped count={event.dropped} />
      </div>
    ));
  }
  return detail.links.map((link, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a span may be linked twice, and the list never changes.
    <div key={`${link.trace_id}${link.span_id} ${index}`} className="wf-event">
      <h3>
        <Link to="/traces/$id" params={{ id: link.trace_id }} search={{ span: link.span_id }}>
          Trace {link.trace_id.slice(0, 8)}…
        </Link>
      </h3>
      <Attributes items={link.attributes} none="Without attributes." />
      <Dropped count={link.dropped} />
      {link.trace_state ? <p className="mute s wf-pad">Trace state {link.trace_state}</p> : null}
    </div>
  ));
}
