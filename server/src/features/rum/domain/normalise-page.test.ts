import { describe, expect, it } from 'vitest';
import { normalisePage, PAGE_BOUNDS } from './normalise-page.ts';

describe('a page', () => {
  it.each([
    ['/', '/'],
    ['//', '/'],
    ['/cart', '/cart'],
    ['/cart/', '/cart'],
    ['/cart?token=secret', '/cart'],
    ['/cart#ann', '/cart'],
    ['/?q=ann', '/'],
    ['/order/42', '/order/:id'],
    ['/order/2026-11-26/x', '/order/:id/x'],
    ['/o/018f3c1e-7d7a-7c3e-9f64-0242ac120002', '/o/:id'],
    ['/o/018f3c1e7d7a7c3e9f640242ac120002', '/o/:id'],
    ['/blob/9f86d081884c7d65', '/blob/:id'],
    ['/s/eyJhbGciOiJIUzI1NiJ9', '/s/:id'],
    ['/people/ann@example.com', '/people/:id'],
    ['/people/ann%40example.com', '/people/:id'],
    ['/cart;jsessionid=A1B2', '/cart'],
    ['/product/iphone-15-pro', '/product/iphone-15-pro'],
    ['/v2/items', '/v2/items'],
    ['/deadbeef', '/deadbeef'],
    ['/Straße/ümlaut', '/Stra_e/_mlaut'],
    ['/<script>', '/_script_'],
    [`/${'a'.repeat(65)}`, '/:id'],
    ['/a/b/c/d/e/f/g/h/i/j/k/l', '/a/b/c/d/e/f/g/h/i/j/*'],
  ])('%s is of the kind %s', (path, kind) => expect(normalisePage(path)).toBe(kind));

  it.each([['cart'], [''], ['https://shop.example/cart'], ['?q']])('%j is none', (path) =>
    expect(normalisePage(path)).toBeUndefined(),
  );

  it('is bounded in depth and length, whatever is sent', () => {
    for (const path of [`/${'/a'.repeat(8000)}`, `/${`${'b'.repeat(60)}/`.repeat(60)}`, `/${'é'.repeat(2000)}`]) {
      const kind = normalisePage(path) ?? '';
      expect(kind.length).toBeLessThanOrEqual(PAGE_BOUNDS.length + 2);
      expect(kind.split('/').length - 1).toBeLessThanOrEqual(PAGE_BOUNDS.depth + 1);
    }
  });

  it('is of the same kind again', () => {
    for (const path of ['/order/42/x', '/a/b/c/d/e/f/g/h/i/j/k', '/people/a@b', '/Straße'])
      expect(normalisePage(normalisePage(path) ?? '')).toBe(normalisePage(path));
  });
});
