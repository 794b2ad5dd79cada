import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ACTIONS, ColumnHeads, numeric } from './column-heads.tsx';

it('titles each column, those of numbers at their right, and lets the one of actions only be read out', () => {
  const columns = ['Name', numeric('Size'), numeric('TLS', { className: 'phase', title: 'Handshake' }), ACTIONS];
  expect(renderToStaticMarkup(<ColumnHeads columns={columns} />)).toBe(
    '<thead><tr><th scope="col">Name</th><th scope="col" class="n">Size</th>' +
      '<th scope="col" class="n phase" title="Handshake">TLS</th>' +
      '<th scope="col"><span class="sr">Actions</span></th></tr></thead>',
  );
});
