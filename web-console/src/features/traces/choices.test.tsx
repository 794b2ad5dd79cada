import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { TraceFacets } from '../../api-types.ts';
import { Choices, findChoices } from './choices.tsx';
import { FacetsPanel } from './facets-panel.tsx';
import { operationChoices } from './filter-chips.tsx';

const operation = (service: string, name: string) => ({ service, name, spans: 4, errors: 0, p95_ms: 12 });
const operations = [operation('web', 'POST /checkout'), operation('shop', 'POST /checkout'), operation('stock', 'GET /stock')];
const facets = { services: [], operations } as unknown as TraceFacets;
const search = { operation: ['POST /checkout'], service: ['web'] };

const textOf = (html: string): string[] =>
  html.split(/<li[^>]*>/).flatMap((item) => {
    const text = item
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim();
    return text === '' ? [] : [text];
  });

it('tells operations of one name apart in words, in the filter', () => {
  const html = renderToStaticMarkup(
    <Choices noun="an operation" options={operationChoices(facets, search)} onToggle={() => {}} />,
  );
  expect(textOf(html)).toEqual(['POST /checkout web', 'POST /checkout shop', 'GET /stock']);
  expect(html.match(/checked=""/g)).toHaveLength(1);
});

it('finds an operation by its own name before one by its service', () => {
  const all = {
    services: [],
    operations: [operation('checkout', 'POST'), operation('web', 'POST'), ...operations],
  } as unknown as TraceFacets;
  const found = findChoices(operationChoices(all, {}), 'checkout').map(({ name, service }) => `${name} ${service}`);
  expect(found).toEqual(['POST /checkout web', 'POST /checkout shop', 'POST checkout']);
});

it('tells them apart in the list of what there is', () => {
  const html = renderToStaticMarkup(<FacetsPanel facets={facets} search={search} onChange={() => {}} />);
  const rows = textOf(html).filter((text) => / 4 /.test(text));
  expect(rows.map((text) => text.split(' 4 ')[0])).toEqual(['POST /checkout web', 'POST /checkout shop', 'GET /stock']);
  expect([...html.matchAll(/aria-pressed="(\w+)"/g)].map(([, pressed]) => pressed)).toEqual(['true', 'false', 'false']);
});
