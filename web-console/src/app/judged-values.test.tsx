import type { DeviceView, EndpointRow, Reading } from '@svc/contracts/endpoint/view';
import type { JudgedMeasure, Measure } from '@svc/contracts/judged/measures';
import { blamedBefore, type JudgedVerdict } from '@svc/contracts/judged/read-verdict';
import { measureWords, sentenceText, utcWords } from '@svc/contracts/judged/sentence';
import { makeVerdicts } from '@svc/contracts/judged/test-verdicts';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { deviceSentence } from '../features/endpoint/device/device-sentence.ts';
import { LayerChain } from '../features/endpoint/device/layer-chain.tsx';
import { bandWords, blamedWords } from '../features/endpoint/device/path/segment-words.ts';
import { COLUMNS } from '../features/endpoint/fleet/table/columns.tsx';
import { factsOfRow } from '../ui/judged/facts.ts';
import { formatMs, formatMsFigure, formatPercent, formatPercentFigure } from '../ui/words/format.ts';

type Verdict = Required<JudgedVerdict>;
const judgedValue = ({ measures }: Verdict, name: Measure): number | null =>
  measures.find((one) => one.measure === name)?.value ?? null;

/** A device page as the server gives it for a verdict. */
function viewOf(verdict: Verdict): DeviceView {
  const reading = (name: Measure): Reading => ({ value: judgedValue(verdict, name), unavailable: null });
  const endpoint = {
    ...{ id: 'a', name: 'A', verdict: verdict.cause, verdict_since: verdict.since, judged: [...verdict.measures] },
    ...{ os: null, os_version: null, connection: 'wifi', paused_until: null, last_contact_at: null, missing_permissions: [] },
    wifi_rssi_dbm: reading('wifi_rssi_dbm'),
    wifi_signal_percent: reading('wifi_signal_percent'),
    gateway_rtt_ms: reading('gateway_rtt_ms'),
    gateway_loss_ratio: reading('gateway_loss_ratio'),
    isp_rtt_ms: reading('isp_rtt_ms'),
    isp_loss_ratio: reading('isp_loss_ratio'),
    worst_session_ms: reading('session_total_ms'),
    worst_session_target: null,
  } as unknown as EndpointRow;
  const layers = verdict.layers.map(({ layer, score, unavailable }) => {
    const behind = blamedBefore(verdict.cause, layer);
    return { layer, score: behind ? null : score, unavailable, behind };
  });
  const window = { from: verdict.since, to: verdict.since, is_now: true };
  return { endpoint, window, layers, layers_at: verdict.since, sessions: [], paths: [] } as unknown as DeviceView;
}

/** Text as a person sees it; titles and tags are left out. */
const render = (node: ReactNode): string => renderToStaticMarkup(node).replace(/<[^>]*>/g, '|');
const cellOf = (id: string, row: EndpointRow): string => render(COLUMNS.find((one) => one.id === id)?.cell(row, Date.now()));

/** The figure of a measure: what its sentence, its node and its path have to show, and what its cell does. */
const FIGURES: Readonly<
  Partial<Record<Measure, { column: string; said: (value: number) => string; cell: (value: number) => string }>>
> = {
  gateway_rtt_ms: { column: 'gateway_rtt', said: formatMs, cell: formatMsFigure },
  gateway_loss_ratio: { column: 'gateway_loss', said: formatPercent, cell: formatPercentFigure },
  isp_rtt_ms: { column: 'isp_rtt', said: formatMs, cell: formatMsFigure },
  isp_loss_ratio: { column: 'isp_loss', said: formatPercent, cell: formatPercentFigure },
  session_total_ms: { column: 'session', said: formatMs, cell: formatMs },
};
const SLOW = makeVerdicts(400, 5).filter(({ cause }) => cause !== 'none');
const decidedOf = (row: EndpointRow): JudgedMeasure => {
  const decided = factsOfRow(row)?.decided;
  if (!decided) throw new Error('nothing decided');
  return decided;
};

describe('what the console tells of one verdict, over generated devices', () => {
  it('is one value in the sentence, the node, the path and the row', () => {
    let told = 0;
    for (const view of SLOW.map(viewOf)) {
      const { endpoint: row } = view;
      const decided = decidedOf(row);
      const figure = FIGURES[decided.measure];
      // A sentence has the share of what was lost in brackets.
      const isLoss = decided.measure.endsWith('_loss_ratio');
      const words = isLoss ? formatPercent(decided.value) : (figure?.said(decided.value) ?? measureWords(decided));
      const chain = render(<LayerChain view={view} />);
      if (!['gateway_answers', 'sessions_failed'].includes(decided.measure)) {
        expect(sentenceText(deviceSentence(row), utcWords)).toContain(words);
        expect(chain).toContain(words);
      }
      const segments = factsOfRow(row)?.segments;
      if (!segments) throw new Error('no segments');
      if (row.verdict !== 'unknown' && figure) expect(blamedWords(segments)?.value).toContain(words);
      if (figure && decided.measure.startsWith('isp')) expect(bandWords(segments['isp-edge'])).toContain(words);
      if (figure) expect(cellOf(figure.column, row)).toContain(figure.cell(decided.value));
      told += figure ? 1 : 0;
    }
    expect(told).toBeGreaterThan(100);
  });

  it('sets off the cell of the measure that decided, and no other', () => {
    for (const view of SLOW.map(viewOf)) {
      const { endpoint: row } = view;
      const decided = decidedOf(row).measure;
      const columns = Object.entries(FIGURES).filter(([, { column }]) =>
        renderToStaticMarkup(COLUMNS.find((one) => one.id === column)?.cell(row, 0)).includes('blamed'),
      );
      expect(columns.map(([measure]) => measure)).toEqual(decided in FIGURES ? [decided] : []);
    }
  });

  it('has no score behind the layer at fault, and says why', () => {
    for (const view of SLOW.map(viewOf)) {
      const html = renderToStaticMarkup(<LayerChain view={view} />);
      const behind = view.layers.filter((one) => one.behind !== null).length;
      expect(html.split('not judged: behind').length - 1).toBe(behind);
      const scores = view.layers.filter((one) => one.score !== null);
      expect(html.split('Score, 0 to 100').length - 1).toBe(scores.length);
    }
  });
});
