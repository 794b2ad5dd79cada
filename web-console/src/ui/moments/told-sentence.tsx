import { Fragment } from 'react';
import { Time } from './time.tsx';
import { createMoments } from './zone.ts';

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

const placed = (parts: readonly string[]) => parts.map((part, index) => ({ part, key: `${index}` }));

/** A sentence of the server: its instants are shown on the viewer's clock, with UTC on hover. */
export function ToldSentence({ text }: { text: string }) {
  return placed(text.split(INSTANT)).map(({ part, key }) => (
    <Fragment key={key}>{INSTANT.test(part) ? <Time at={part} /> : part}</Fragment>
  ));
}

/** The same as text alone, for titles. */
export function tellSentence(text: string, now = Date.now()): string {
  const moments = createMoments();
  return text
    .split(INSTANT)
    .map((part) => (INSTANT.test(part) ? moments.moment(part, now) : part))
    .join('');
}
