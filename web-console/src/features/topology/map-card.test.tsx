import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import type { MapEdge, MapNode, Topology } from '../../api-types.ts';
import { MapCard, ZoomTools } from './map-card.tsx';

const ignore = (): void => {};
const measures = { calls: 100, rate: 1, p50_ms: 1, p95_ms: 1 };
const node = (name: string): MapNode => ({
  ...{ ...measures, id: name, name, kind: 'service', errors: 0, error_ratio: 0, bytes_in: 0, bytes_out: 0 },
});
const edge = (source: string, target: string, errors = 0): MapEdge => ({
  ...{ ...measures, source, target, kind: 'call', errors, error_ratio: errors / 100, bytes: 0 },
});
const map: Topology = {
  ...{ from: '', to: '', computed_to: null, spans: 1, gaps: [] },
  nodes: [node('web'), node('payment'), node('cart')],
  edges: [edge('web', 'payment', 12), edge('web', 'cart')],
};
const card = (shown: Topology, filter: Parameters<typeof MapCard>[0]['filter']): string =>
  renderToStaticMarkup(<MapCard map={shown} filter={filter} onFilter={ignore} chosen={undefined} onChoose={ignore} />);

test('draws the map under a search, a choice of what fails and its size', () => {
  const html = card(map, { find: 'pay' });
  expect(html).toContain('aria-label="Find on the map"');
  expect(html).toMatch(/aria-label="Find on the map"[^>]*value="pay"/);
  expect(html).toMatch(/aria-pressed="false">Failing/);
  expect(html).toContain('100%');
  expect(html).toContain('12% fail</text>');
  // Words lie on top of every line, and what fails on top of what does not.
  expect(html.indexOf('% fail</text>')).toBeGreaterThan(html.lastIndexOf('marker-end'));
  expect(html.lastIndexOf('url(#tipbad)')).toBeGreaterThan(html.lastIndexOf('url(#tip)'));
  expect(card(map, { only: 'failing' })).toMatch(/aria-pressed="true">Failing/);
});

test('says what was not found, with the way back to the whole map', () => {
  const nothing = { ...map, nodes: [], edges: [] };
  expect(card(nothing, { find: 'basket' })).toContain('Nothing on the map is named “basket”');
  expect(card(nothing, { find: 'cart', only: 'failing' })).toContain('Nothing failing on the map is named “cart”');
  expect(card(nothing, { only: 'failing' })).toContain('No connection fails');
  expect(card(nothing, { only: 'failing' })).toContain('Show the whole map');
});

test('offers no size beyond the last', () => {
  const tools = (zoom: number): string =>
    renderToStaticMarkup(<ZoomTools zoom={zoom} onStep={ignore} onOwn={ignore} onFit={ignore} />);
  const isOff = (html: string, label: string): boolean =>
    new RegExp(`<button[^>]*aria-disabled="true"[^>]*aria-label="${label}"`).test(html);
  expect([isOff(tools(2), 'Zoom in'), isOff(tools(2), 'Zoom out')]).toEqual([true, false]);
  expect([isOff(tools(0.25), 'Zoom in'), isOff(tools(0.25), 'Zoom out')]).toEqual([false, true]);
});
