import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { LeftOutNotice } from './left-out-notice.tsx';

const ignore = (): void => {};

it('is a status that can be dismissed', () => {
  const html = renderToStaticMarkup(<LeftOutNotice items={[{ key: 'range', value: '99d' }]} onDismiss={ignore} />);
  expect(html).toContain('role="status"');
  expect(html).toContain('range=99d is not known here');
  expect(html).toContain('aria-label="Dismiss"');
});

it('names the time that the page cannot show', () => {
  const items = [
    { key: 'from', value: '2020-01-01T02:00:00Z' },
    { key: 'to', value: '2020-01-01T03:00:00Z' },
  ];
  const html = renderToStaticMarkup(<LeftOutNotice items={items} onDismiss={ignore} />);
  expect(html).toContain('This page cannot show 1 Jan 2020');
  expect(html).not.toContain('from=');
});

it('is nothing where everything was understood', () => {
  expect(renderToStaticMarkup(<LeftOutNotice items={[]} onDismiss={ignore} />)).toBe('');
});
