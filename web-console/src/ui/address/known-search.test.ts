import { expect, it } from 'vitest';
import { knownSearch, leftOut } from './known-search.ts';
import { describeLeftOut } from './left-out-notice.tsx';
import { membersOf, textOf } from './search-params.ts';

const decode = (raw: Record<string, unknown>): { verdict?: string[]; trace?: string } => {
  const verdict = membersOf(raw.verdict, ['wifi', 'isp']);
  const trace = textOf(raw.trace)?.toLowerCase();
  return { ...(verdict ? { verdict } : {}), ...(trace ? { trace } : {}) };
};

it('takes what the decoder leaves out away from the raw address as well', () => {
  const raw = { verdict: 'bogus', unheard: 'of' };
  expect({ ...raw, ...knownSearch(decode)(raw) }).toEqual({ verdict: undefined, unheard: undefined });
  expect(knownSearch(decode)({ verdict: ['wifi', 'bogus'] })).toEqual({ verdict: ['wifi'] });
});

it('names each value that did not come through, and no other', () => {
  const asked = { verdict: ['wifi', 'bogus'], trace: 'ABC', unheard: 'of' };
  expect(leftOut(asked, decode(asked))).toEqual([
    { key: 'verdict', value: 'bogus' },
    { key: 'unheard', value: 'of' },
  ]);
});

it('takes the usual value, a number written otherwise and a text that was cut for known', () => {
  const long = 'x'.repeat(300);
  expect(leftOut({ size: '50', q: '0.950', text: long }, { q: 0.95, text: long.slice(0, 200) }, { size: '50' })).toEqual([]);
  expect(leftOut({ size: '51' }, {}, { size: '50' })).toEqual([{ key: 'size', value: '51' }]);
});

it('says it in a sentence that stays short', () => {
  expect(describeLeftOut([{ key: 'verdict', value: 'bogus' }])).toBe(
    'verdict=bogus is not known here and was left out of the address.',
  );
  const many = Array.from({ length: 9 }, (_, index) => ({ key: 'site', value: `${index}${'y'.repeat(500)}` }));
  expect(describeLeftOut(many)).toMatch(/and 6 more are not known here/);
  expect(describeLeftOut(many).length).toBeLessThan(300);
});
