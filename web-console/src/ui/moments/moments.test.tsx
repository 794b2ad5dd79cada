import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Sentence } from './sentence.tsx';
import { Time } from './time.tsx';
import { ToldSentence, tellSentence } from './told-sentence.tsx';
import { createMoments } from './zone.ts';
import { ZoneNote } from './zone-note.tsx';

const AT = '2026-11-24T01:10:00.000Z';

it('shows the instants of a sentence as times, with UTC on hover', () => {
  const html = renderToStaticMarkup(<Sentence parts={['Slow since ', { at: AT }, '.']} now={Date.parse(AT) + 60_000} />);
  expect(html).toMatch(
    /^Slow since <time dateTime="2026-11-24T01:10:00.000Z" title="2026-11-24 01:10:00 UTC">\d\d:\d\d<\/time>\.$/,
  );
});

it('shows the instants of what the server says as times, and the same as text', () => {
  const said = `Fails since ${AT}: refused.`;
  expect(renderToStaticMarkup(<ToldSentence text={said} />)).toMatch(
    /^Fails since <time dateTime="2026-11-24T01:10:00.000Z" title="2026-11-24 01:10:00 UTC">[^<]+<\/time>: refused\.$/,
  );
  expect(tellSentence(said, Date.parse(AT))).toMatch(/^Fails since \d\d:\d\d: refused\.$/);
});

it('names the zone of the viewer with its offset', () => {
  const html = renderToStaticMarkup(<ZoneNote moments={createMoments('Asia/Kolkata')} now={Date.parse(AT)} />);
  expect(html).toContain('Asia/Kolkata (UTC+5:30)');
});

it('shows seconds of today alone, and keeps digits that no clock shows for the hover', () => {
  const show = (at: string) => renderToStaticMarkup(<Time at={at} show="second" now={Date.parse(AT) + 60_000} />);
  expect(show(AT)).toMatch(/>\d\d:\d\d:\d\d</);
  expect(show('2026-11-02T01:10:00.000Z')).toMatch(/>[12] Nov \d\d:\d\d</);
  const fine = '2026-11-24T01:10:00.123456789Z';
  expect(show(fine)).toContain(`dateTime="${fine}" title="2026-11-24 01:10:00 UTC, ${fine}"`);
});

it('shows words of its own for an instant, with the same hover', () => {
  const html = renderToStaticMarkup(<Time at={AT}>before</Time>);
  expect(html).toBe(`<time dateTime="${AT}" title="2026-11-24 01:10:00 UTC">before</time>`);
});
