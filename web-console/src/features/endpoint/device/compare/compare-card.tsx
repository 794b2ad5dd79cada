import './compare.css';
import type { DeviceView } from '@svc/contracts/endpoint/view';
import { lazy, Suspense } from 'react';
import type { TimeSpan } from '../../../../ui/charts/brush-span.ts';
import { Segments } from '../../../../ui/controls/controls.tsx';
import { loadChunk } from '../../../../ui/lost-chunk/load-chunk.ts';
import { Failure } from '../../../../ui/placeholders/failure.tsx';
import { formatSpan } from '../../../../ui/words/format.ts';
import type { Comparison } from '../device-search.ts';
import { useDevice } from '../use-device.ts';
import { comparedSpan } from './compared-span.ts';

/** Only where somebody compares: most who open a device do not. */
const BothTimes = lazy(loadChunk(() => import('./both-times.tsx').then((module) => ({ default: module.BothTimes }))));

const OPTIONS = [
  { value: 'none', label: 'Nothing' },
  { value: 'hour', label: 'The hour before' },
  { value: 'yesterday', label: 'The same time yesterday' },
] as const;

interface CompareProps {
  view: DeviceView;
  span: TimeSpan;
  /** False while the whole strip is shown, which is the state of now. */
  isChosen: boolean;
  kind: Comparison | undefined;
  /** Of the path. */
  target: string | undefined;
  onKind: (kind: Comparison | undefined) => void;
}

/** What is shown beside an earlier time: both values and their difference, for layers, the path's hops and sessions. */
export function CompareCard({ view, span, isChosen, kind, target, onKind }: CompareProps) {
  const earlier = useDevice(view.endpoint.id, kind && comparedSpan(kind, span, isChosen));
  return (
    <section className="card cmp" aria-labelledby="cmp-h">
      <header>
        <h2 id="cmp-h">Compare with</h2>
        <Segments
          label="Compare with"
          options={OPTIONS}
          value={kind ?? 'none'}
          onChange={(value) => onKind(value === 'none' ? undefined : value)}
        />
        {kind && earlier.data ? (
          <span className="s mute num">{formatSpan(earlier.data.window.from, earlier.data.window.to, Date.now())}</span>
        ) : null}
      </header>
      {kind === undefined ? null : earlier.data ? (
        <Suspense fallback={<Reading />}>
          <BothTimes shown={view} before={earlier.data} target={target} />
        </Suspense>
      ) : earlier.isError ? (
        <Failure error={earlier.error} retry={() => earlier.refetch()} kept="The address keeps what is compared." />
      ) : (
        <Reading />
      )}
    </section>
  );
}

const Reading = () => (
  <p className="s mute cmpnote" aria-busy="true">
    Reading the earlier time
  </p>
);
