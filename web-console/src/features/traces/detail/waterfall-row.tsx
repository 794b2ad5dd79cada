import { type CSSProperties, memo } from 'react';
import type { Trace, TraceSpan } from '../../../api-types.ts';
import { Icon } from '../../../ui/controls/icons.tsx';
import { useServiceColor } from '../../../ui/services/service-colors.tsx';
import { plural } from '../../../ui/words/format.ts';
import { codeWords } from './trace-fault.ts';
import { formatNs } from './trace-words.ts';
import type { Shape } from './waterfall-rows.ts';

/** Deeper levels stand under each other: a name must still have room. */
const MAX_INDENT = 14;
/** Bars shorter than this cannot be seen; the share is of the drawn width. */
const MIN_SHARE = 0.0025;

interface WaterfallRowProps {
  index: number;
  top: number;
  trace: Trace;
  shape: Shape;
  ticks: readonly number[];
  isActive: boolean;
  isOpen: boolean;
  fold: 'none' | 'open' | 'folded';
  onOpen: (index: number) => void;
  onFold: (index: number) => void;
}

const pairsOf = (stretches: readonly number[]): [number, number][] =>
  Array.from({ length: stretches.length / 2 }, (_, i) => [stretches[2 * i] as number, stretches[2 * i + 1] as number]);

function Name({
  span,
  descendants,
  fold,
  onFold,
}: { span: TraceSpan; descendants: number } & { fold: WaterfallRowProps['fold']; onFold: () => void }) {
  const isFailed = span.status === 'error';
  const color = useServiceColor()(span.service);
  return (
    <span className="wf-name" style={{ paddingLeft: `calc(4px + ${Math.min(span.depth, MAX_INDENT)} * var(--wf-indent))` }}>
      {fold === 'none' ? (
        <span className="wf-nofold" />
      ) : (
        <button
          type="button"
          className="wf-fold"
          tabIndex={-1}
          aria-label={`${fold === 'folded' ? 'Expand' : 'Collapse'} ${plural(descendants, 'span')}`}
          onClick={(event) => {
            event.stopPropagation();
            onFold();
          }}
        >
          <Icon name={fold === 'folded' ? 'right' : 'down'} size={12} />
        </button>
      )}
      <i className="wf-tint" style={{ background: color }} aria-hidden="true" />
      <b>{span.service}</b>{' '}
      <span className="wf-op" title={span.name}>
        {span.name}
      </span>{' '}
      {isFailed ? (
        <em>
          <Icon name="warning" size={12} />
          {codeWords(span.code) || 'failed'}
        </em>
      ) : null}{' '}
      {fold === 'folded' ? <small>{descendants} more</small> : null}{' '}
      {span.parent_missing ? <small title={`Its parent ${span.parent} was not received.`}>parent not seen</small> : null}{' '}
      {span.links > 0 ? <small>linked</small> : null}{' '}
    </span>
  );
}

function Bar({ span, own, total }: { span: TraceSpan; own: readonly number[]; total: number }) {
  const at = (ns: number): number => (total > 0 ? ns / total : 0);
  const start = at(span.start_ns);
  const share = Math.max(at(span.duration_ns), MIN_SHARE);
  const end = Math.min(start + share, 1);
  const color = useServiceColor()(span.service);
  const place = (from: number, to: number): CSSProperties => ({
    left: `${at(from) * 100}%`,
    width: `${Math.max(at(to - from), MIN_SHARE / 2) * 100}%`,
  });
  const isLeaf = own.length === 2 && span.own_ns === span.duration_ns;
  const label: CSSProperties = { left: `${end * 100}%`, marginLeft: 5 };
  return (
    <>
      <span
        className={`wf-bar${isLeaf ? ' leaf' : ''}${span.status === 'error' ? ' bad' : ''}`}
        style={{ left: `${start * 100}%`, width: `${share * 100}%`, '--of': color } as CSSProperties}
      />
      {isLeaf
        ? null
        : pairsOf(own).map(([from, to]) => (
            <span
              key={from}
              className={span.crosses ? 'wf-own wf-hatch' : 'wf-own wf-solid'}
              style={{ ...place(from, to), '--of': color } as CSSProperties}
            />
          ))}
      {pairsOf(span.critical).map(([from, to]) => (
        <span key={from} className="wf-path" style={place(from, to)} />
      ))}
      <span className="wf-figure num" style={label}>
        {formatNs(span.duration_ns)}
      </span>
    </>
  );
}

/** What is seen of a row in the order in which it is seen, so that it is found by voice; then that it failed. */
function labelOf(span: TraceSpan, folded: number): string {
  const isFailed = span.status === 'error';
  const seen = [
    span.service,
    span.name,
    isFailed ? codeWords(span.code) || 'failed' : '',
    folded > 0 ? `${folded} more` : '',
    span.parent_missing ? 'parent not seen' : '',
    span.links > 0 ? 'linked' : '',
  ].filter(Boolean);
  return `${seen.join(' ')}, ${formatNs(span.duration_ns)}${isFailed && span.code ? ', failed' : ''}`;
}

/** One span: its name in the tree, its bar over time. */
export const WaterfallRow = memo(function WaterfallRow(props: WaterfallRowProps) {
  const { index, top, trace, shape, ticks, isActive, isOpen, fold, onOpen, onFold } = props;
  const span = trace.spans[index] as TraceSpan;
  const descendants = (shape.end[index] as number) - index - 1;
  const className = `wf-row${isOpen ? ' on' : ''}${isActive ? ' at' : ''}`;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys of all rows.
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree, which names the active row.
    <div
      id={`wf-${index}`}
      className={className}
      role="treeitem"
      aria-level={span.depth + 1}
      aria-selected={isOpen}
      {...(fold === 'none' ? {} : { 'aria-expanded': fold === 'open' })}
      aria-label={labelOf(span, fold === 'folded' ? descendants : 0)}
      style={{ top }}
      onClick={() => onOpen(index)}
    >
      <Name span={span} descendants={descendants} fold={fold} onFold={() => onFold(index)} />
      <span className="wf-time">
        {ticks.map((at) => (
          <i key={at} className="wf-grid" style={{ left: `${(at / trace.duration_ns) * 100}%` }} />
        ))}
        <Bar span={span} own={shape.own[index] ?? []} total={trace.duration_ns} />
      </span>
    </div>
  );
});
