import type { Rating } from '@svc/contracts/rum/kinds';
import type { RumHost } from '@svc/contracts/rum/views';
import { joinWords } from '../../ui/words/format.ts';
import { RATING_WORDS } from './rum-words.ts';

type Shares = NonNullable<RumHost['vitals'][number]['shares']>;

const ORDER: readonly Rating[] = ['good', 'needs_improvement', 'poor'];

/** Whole percents: shares stand side by side and are compared, and what is there is never called nothing. */
const shareWords = (share: number): string => (share > 0 && share < 0.005 ? '<1%' : `${Math.round(share * 100)}%`);

/** "57% good, 6% needs improvement and 37% poor" */
const describeShares = (shares: Shares): string =>
  joinWords(ORDER.map((rating) => `${shareWords(shares[rating])} ${RATING_WORDS[rating]}`));

/** Good, between and poor: the darker the worse, in both themes. `of`: what they are shares of. */
export function Bands({ shares, of }: { shares: Shares; of: string }) {
  return (
    <span className="rum-bands" role="img" aria-label={`${of}: ${describeShares(shares)}`}>
      {ORDER.filter((rating) => shares[rating] > 0).map((rating) => (
        <i key={rating} className={`rum-band-${rating}`} style={{ width: `${100 * shares[rating]}%` }} />
      ))}
    </span>
  );
}

/** The shares as figures, under their bands. */
export function BandFigures({ shares }: { shares: Shares }) {
  return (
    <span className="rum-figures xs num" aria-hidden="true">
      {ORDER.map((rating) => (
        <span key={rating}>{shareWords(shares[rating])}</span>
      ))}
    </span>
  );
}

export function BandKeys() {
  return (
    <span className="rum-keys s">
      {ORDER.map((rating) => (
        <span key={rating} className="rum-key">
          <i className={`rum-swatch rum-band-${rating}`} />
          {RATING_WORDS[rating]}
        </span>
      ))}
    </span>
  );
}
