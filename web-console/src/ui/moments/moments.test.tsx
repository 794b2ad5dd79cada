import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Sentence } from './sentence.tsx';
import { createMoments } from './zone.ts';
import { ZoneNote } from './zone-note.tsx';

const AT = '2026-11-24T01:10:00.000Z';

it('shows the instants of a sentence as times, with UTC on hover', () => {
  const html = renderToStaticMarkup(<Sentence parts={['Slow since ', { at: AT }, '.']} now={Date.parse(AT) + 60_000} />);
  expect(html).toMatch(
    /^Slow since <time dateTime="2026-11-24T01:10:00.000Z" title="2026-11-24 01:10:00 UTC">\d\d:\d\d<\/time>\.$/,
  );
});

it('names the zone of the viewer with its offset', () => {
  const html = renderToStaticMarkup(<ZoneNote moments={createMoments('Asia/Kolkata')} now={Date.parse(AT)} />);
  expect(html).toContain('Asia/Kolkata (UTC+5:30)');
});
