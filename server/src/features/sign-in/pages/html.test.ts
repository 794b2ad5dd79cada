import { expect, test } from 'vitest';
import { html } from './html.ts';

test('values are escaped in text and in attributes, markup of ours is not', () => {
  const evil = `"><script>alert('x')</script>&`;
  const inner = html`<b>${evil}</b>`;
  const { markup } = html`<p title="${evil}">${inner}${[html`<i>1</i>`, html`<i>${2}</i>`]}${undefined}${false}</p>`;
  const safe = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;';
  expect(markup).toBe(`<p title="${safe}"><b>${safe}</b><i>1</i><i>2</i></p>`);
});
