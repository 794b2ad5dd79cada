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

it('is nothing where everything was understood', () => {
  expect(renderToStaticMarkup(<LeftOutNotice items={[]} onDismiss={ignore} />)).toBe('');
});
