import { OTHER_PAGES, type Vital } from '@svc/contracts/rum/kinds';
import { BYTE_ORDER_MARK, csvLine } from '@svc/contracts/words/csv';
import { type ReactNode, useState } from 'react';
import { Button, SearchField } from '../../../ui/controls/controls.tsx';
import { ScrollX } from '../../../ui/controls/scroll-x.tsx';
import { ColumnHeads, numeric } from '../../../ui/table/column-heads.tsx';
import { formatCount, formatPercentFigure, formatSpan, plural } from '../../../ui/words/format.ts';
import { Bands } from '../bands.tsx';
import type { RumHost } from '../rum-queries.ts';
import { BROWSER_NAMES, formatVital } from '../rum-words.ts';
import { saveText } from '../save-text.ts';
import { ratingOf } from '../vital-rating.ts';

type PageRow = RumHost['pages']['items'][number];
type Group = Omit<PageRow, 'page'>;

const SHOWN = 20;
const FEW = <span className="mute">too few</span>;

function VitalOf({ group, vital }: { group: Group; vital: Vital }) {
  const value = group.p75[vital];
  if (value === undefined) return FEW;
  const words = formatVital(vital, value);
  return ratingOf(vital, value) === 'poor' ? <b className="rum-hot">{words}</b> : words;
}

const BandsOf = ({ group, of, needed }: { group: Group; of: string; needed: number }): ReactNode =>
  group.lcp_shares ? (
    <Bands shares={group.lcp_shares} of={`LCP of ${of}`} />
  ) : (
    <span className="mute">
      too few: {formatCount(group.views)} of {needed} views
    </span>
  );

const PAGE_COLUMNS = [
  'Path',
  ...[numeric('Views'), numeric('Errors %'), numeric('Failed requests'), numeric('p75 LCP')],
  { name: 'LCP: good, between, poor', className: 'rum-bandcol' },
  ...[numeric('TTFB'), numeric('INP'), numeric('CLS')],
];

const CSV_HEADER = [
  ...['page', 'views', 'sufficient', 'error_rate', 'failed_requests', 'p75_lcp_ms', 'p75_ttfb_ms', 'p75_inp_ms', 'p75_cls'],
  ...['p75_fcp_ms', 'p75_load_ms', 'lcp_good', 'lcp_needs_improvement', 'lcp_poor'],
];

const toLine = ({ page, views, sufficient, error_rate, failed_requests, p75, lcp_shares }: PageRow): string =>
  csvLine([
    ...[page, views, String(sufficient), error_rate, failed_requests, p75.lcp ?? null, p75.ttfb ?? null, p75.inp ?? null],
    ...[p75.cls ?? null, p75.fcp ?? null, p75.load ?? null],
    ...[lcp_shares?.good ?? null, lcp_shares?.needs_improvement ?? null, lcp_shares?.poor ?? null],
  ]);

/** By page: most views first. Volatile parts of a path are `:id`. */
export function PagesCard({ view }: { view: RumHost }) {
  const { pages, verdict, row } = view;
  const [text, setText] = useState('');
  const [all, setAll] = useState(false);
  const found = pages.items.filter(({ page }) => page.toLowerCase().includes(text.trim().toLowerCase()));
  const rows = all ? found : found.slice(0, SHOWN);
  const save = (): void =>
    saveText(`${row.app}-pages.csv`, [BYTE_ORDER_MARK, csvLine(CSV_HEADER), ...found.map(toLine)].join(''));
  return (
    <section className="card" aria-labelledby="pages-h">
      <header>
        <h2 id="pages-h">Pages</h2>
        <span className="s mute">{formatSpan(view.figures_from, view.figures_to, Date.now())}, numbers in a path are :id</span>
        <span className="grow" />
        {pages.items.length > SHOWN || text ? (
          <SearchField label="Search pages" placeholder="Part of a path" value={text} onChange={setText} />
        ) : null}
        {found.length > 0 ? (
          <Button look="quiet" icon="download" onClick={save}>
            CSV of {plural(found.length, 'row')}
          </Button>
        ) : null}
      </header>
      {found.length === 0 ? (
        <p className="s soft rum-unjudged">{text ? 'No page matches.' : 'No page was viewed in this time.'}</p>
      ) : (
        <ScrollX label="Pages">
          <table>
            <ColumnHeads columns={PAGE_COLUMNS} />
            <tbody>
              {rows.map((group) => (
                <tr key={group.page}>
                  <td className="mono">{group.page === OTHER_PAGES ? 'other pages' : group.page}</td>
                  <td className="n">{formatCount(group.views)}</td>
                  <td className="n">{group.error_rate === null ? FEW : formatPercentFigure(group.error_rate)}</td>
                  <td className="n">{group.failed_requests === null ? FEW : formatCount(group.failed_requests)}</td>
                  <td className="n">
                    <VitalOf group={group} vital="lcp" />
                  </td>
                  <td className="rum-bandcol">
                    <BandsOf group={group} of={group.page} needed={verdict.users.views_needed} />
                  </td>
                  {(['ttfb', 'inp', 'cls'] as const).map((vital) => (
                    <td key={vital} className="n">
                      <VitalOf group={group} vital={vital} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      {found.length > SHOWN || pages.other_views > 0 ? (
        <footer className="foot s">
          {found.length > SHOWN ? (
            <Button look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
              {all ? 'Fewer' : `All ${formatCount(found.length)}`}
            </Button>
          ) : null}
          {pages.other_views > 0 ? (
            <span className="soft">
              {plural(pages.other_views, 'view')} of pages beyond the first {formatCount(pages.limit_a_day)} of a day stand
              together as other pages.
            </span>
          ) : null}
        </footer>
      ) : null}
    </section>
  );
}

const BROWSER_COLUMNS = [
  'Family',
  ...[numeric('Views'), numeric('Errors %'), numeric('p75 LCP')],
  { name: 'LCP', className: 'rum-bandcol' },
];

/** By family alone: neither a version nor a user agent is kept. */
export function BrowsersCard({ view: { browsers, verdict } }: { view: RumHost }) {
  return (
    <section className="card" aria-labelledby="browsers-h">
      <header>
        <h2 id="browsers-h">Browser families</h2>
      </header>
      {browsers.length === 0 ? (
        <p className="s soft rum-unjudged">No page was viewed in this time.</p>
      ) : (
        <ScrollX label="Browser families">
          <table>
            <ColumnHeads columns={BROWSER_COLUMNS} />
            <tbody>
              {browsers.map((group) => (
                <tr key={group.browser}>
                  <td>{BROWSER_NAMES[group.browser]}</td>
                  <td className="n">{formatCount(group.views)}</td>
                  <td className="n">{group.error_rate === null ? FEW : formatPercentFigure(group.error_rate)}</td>
                  <td className="n">
                    <VitalOf group={group} vital="lcp" />
                  </td>
                  <td className="rum-bandcol">
                    <BandsOf group={group} of={BROWSER_NAMES[group.browser]} needed={verdict.users.views_needed} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollX>
      )}
      <footer className="foot s soft">Family only: no version, no user agent is kept.</footer>
    </section>
  );
}
