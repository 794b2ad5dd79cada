import type { Vital } from '@svc/contracts/rum/kinds';
import type { ReactNode } from 'react';
import { Segments } from '../../../ui/controls/controls.tsx';
import { formatCount, formatPercent, formatSpan, plural } from '../../../ui/words/format.ts';
import { BandFigures, BandKeys, Bands } from '../bands.tsx';
import type { RumHost } from '../rum-queries.ts';
import { boundWords, formatVital, RATING_WORDS, VITAL_NAMES } from '../rum-words.ts';
import { Sparkline } from './sparkline.tsx';

type Figure = RumHost['vitals'][number];

const SPAN_CHOICES = [
  { value: 'window', label: '15 min of the verdict' },
  { value: 'range', label: 'Whole time' },
] as const;

interface VitalsProps {
  view: RumHost;
  /** Of the whole time shown, else of the minutes that the verdict is of. */
  whole: boolean;
  onWhole: (whole: boolean) => void;
}

/** p75 of each vital with its shares, and of errors; too few views are said to be too few. */
export function VitalsCard({ view, whole, onWhole }: VitalsProps) {
  const { vitals, errors, series } = view;
  return (
    <section className="card" aria-labelledby="vitals-h">
      <header>
        <h2 id="vitals-h">What visitors waited for</h2>
        <span className="s mute">
          p75 of {plural(errors.views, 'view')}, {formatSpan(view.figures_from, view.figures_to, Date.now())}
        </span>
        <span className="grow" />
        <BandKeys />
        <Segments
          label="Figures of"
          options={SPAN_CHOICES}
          value={whole ? 'range' : 'window'}
          onChange={(value) => onWhole(value === 'range')}
        />
      </header>
      <div className="rum-vitals">
        {vitals.map((figure) => (
          <VitalCell key={figure.vital} figure={figure} points={series.points} needed={view.verdict.users.views_needed} />
        ))}
        <ErrorsCell errors={errors} points={series.points} needed={view.verdict.users.views_needed} />
      </div>
    </section>
  );
}

function Cell({ name, long, children }: { name: string; long: string; children: ReactNode }) {
  return (
    <div className="rum-vital">
      <h3 className="s">
        <b>{name}</b> <span className="mute">{long}</span>
      </h3>
      {children}
    </div>
  );
}

/** "good to 2.5 s, poor from 4 s" */
const boundsOf = ({ vital, good_to, poor_from }: Figure): string =>
  `good to ${boundWords(vital, good_to)}, poor from ${boundWords(vital, poor_from)}`;

interface CellProps {
  figure: Figure;
  points: RumHost['series']['points'];
  needed: number;
}

function VitalCell({ figure, points, needed }: CellProps) {
  const { vital, p75, usual_p75, rating, shares, views } = figure;
  const { short, long } = VITAL_NAMES[vital];
  return (
    <Cell name={short} long={long}>
      {p75 === null || rating === null ? (
        <p className="rum-value mute">{views === 0 ? 'not measured' : `too few: ${formatCount(views)} of ${needed}`}</p>
      ) : (
        <p className="rum-value">
          <b className="num">{formatVital(vital, p75)}</b>{' '}
          <span className={rating === 'poor' ? 'rum-hot' : undefined}>{RATING_WORDS[rating]}</span>
        </p>
      )}
      <p className="xs mute">{usual_p75 === null ? 'usual value not known yet' : `usually ${formatVital(vital, usual_p75)}`}</p>
      <Sparkline points={points} read={(point) => point.p75[vital as Vital]} limit={figure.poor_from} />
      {shares ? (
        <>
          <Bands shares={shares} of={short} />
          <BandFigures shares={shares} />
        </>
      ) : (
        <span className="rum-bands rum-bands-none" />
      )}
      <p className="xs mute">
        {boundsOf(figure)}
        {views > 0 ? `; ${plural(views, 'view')}` : ''}
      </p>
    </Cell>
  );
}

/** "5 script errors in 5 views"; none is in no view, and the card counts other views. */
function InViews({ count, what, views }: { count: number; what: string; views: number }) {
  if (count === 0) return <>no {what}</>;
  return (
    <>
      <b>{formatCount(count)}</b> {count === 1 ? what : `${what}s`} in {plural(views, 'view')}
    </>
  );
}

function ErrorsCell({ errors, points, needed }: Omit<CellProps, 'figure'> & { errors: RumHost['errors'] }) {
  const { rate, usual_rate, hurt_views, views } = errors;
  return (
    <Cell name="Errors" long="views with one">
      {rate === null ? (
        <p className="rum-value mute">{views === 0 ? 'not measured' : `too few: ${formatCount(views)} of ${needed}`}</p>
      ) : (
        <p className="rum-value">
          <b className="num">{formatPercent(rate)}</b>{' '}
          <span>
            {formatCount(hurt_views)} of {formatCount(views)}
          </span>
        </p>
      )}
      <p className="xs mute">{usual_rate === null ? 'usual rate not known yet' : `usually ${formatPercent(usual_rate)}`}</p>
      <Sparkline points={points} read={(point) => point.error_rate ?? undefined} limit={errors.hurt_from} />
      <p className="xs soft">
        <InViews count={errors.errors} what="script error" views={errors.views_with_errors} />
        <br />
        <InViews count={errors.failed_requests} what="failed request" views={errors.views_with_failed_requests} />
      </p>
      <p className="xs mute">hurt from {formatPercent(errors.hurt_from)} on</p>
    </Cell>
  );
}
