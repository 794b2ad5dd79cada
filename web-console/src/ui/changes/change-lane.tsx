import type { ChangeMark } from '@svc/contracts/changes/change';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { ask } from '../../api.ts';
import { POLL_MS } from '../../queries.ts';
import type { TimeSpan } from '../charts/brush-span.ts';
import { type MomentMark, MomentMarks } from '../charts/moment-marks.tsx';
import { loadChunk } from '../lost-chunk/load-chunk.ts';
import { useMay } from '../permission/use-may.ts';
import { useChangesShown } from './changes-shown.ts';

/** Charts are there without it, and what names their marks comes after them. */
const NamedMarks = lazy(loadChunk(() => import('./named-marks.tsx').then((module) => ({ default: module.NamedMarks }))));

/** As many as one question takes. */
const MOST_TARGETS = 50;
/** Its height without marks and with them (changes.css), so that nothing moves when it is there. */
const LANE_PX = { off: 28, on: 46 } as const;
const NONE: readonly MomentMark[] = [];

interface ChangeLaneProps {
  /** What the charts show: hosts, URLs, services, networks. */
  targets: readonly string[];
  /** The longest time that one of the charts shows. */
  span: TimeSpan;
  /** The charts that mark them. */
  children?: ReactNode;
}

const momentOf = ({ id, number, title, occurred_at: at }: ChangeMark): MomentMark => ({
  ...{ id, at: Date.parse(at), words: `Change ${number}: ${title}` },
});

/** Changes of what is shown, as marks on charts and as one lane that names them; nothing for who may not see changes, or where no target is known. */
export function ChangeLane({ targets, span, children }: ChangeLaneProps) {
  const maySee = useMay('change.read');
  const [on] = useChangesShown();
  const asked = [...new Set(targets)].slice(0, MOST_TARGETS).toSorted();
  const isKnown = maySee && asked.length > 0;
  const marks = useQuery({
    queryKey: ['changes.marks', asked, span.from, span.to],
    queryFn: ({ signal }) =>
      ask(
        'changes.marks',
        { targets: asked, from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
        signal,
      ),
    enabled: isKnown && on,
    refetchInterval: POLL_MS,
    placeholderData: keepPreviousData,
  }).data;
  const moments = useMemo(() => marks?.items.map(momentOf) ?? NONE, [marks]);
  return (
    <>
      {isKnown ? (
        <Suspense fallback={<div style={{ minHeight: on ? LANE_PX.on : LANE_PX.off }} />}>
          <NamedMarks targets={asked} span={span} marks={marks} />
        </Suspense>
      ) : null}
      <MomentMarks value={isKnown && on ? moments : NONE}>{children}</MomentMarks>
    </>
  );
}
