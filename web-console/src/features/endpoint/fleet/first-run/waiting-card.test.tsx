import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it, vi } from 'vitest';
import { type Progress, WaitingCard } from './waiting-card.tsx';

vi.mock('@tanstack/react-router', () => ({ Link: ({ children }: { children: string }) => <a href="/fleet">{children}</a> }));

const card = (progress: Progress): string => renderToStaticMarkup(<WaitingCard {...progress} />);
const current = (html: string): string | undefined => /<li[^>]*aria-current="step"[^>]*>.*?<b>(.*?)<\/b>/.exec(html)?.[1];
const done = (html: string): number => html.match(/<li class="done"/g)?.length ?? 0;

it('walks from the first device over its contact to its verdict, and completes', () => {
  const steps = [
    { devices: 0, reporting: 0, judged: 0 },
    { devices: 1, reporting: 0, judged: 0 },
    { devices: 1, reporting: 1, judged: 0 },
    { devices: 1, reporting: 1, judged: 1 },
  ].map(card);
  expect(steps.map(done)).toEqual([0, 1, 2, 3]);
  expect(steps.map(current)).toEqual([
    'An agent enrols',
    'First contact: Wi-Fi and gateway',
    'First verdict, in the fleet',
    undefined,
  ]);
  expect(steps[3]).toContain('The first verdict is here');
  expect(steps[3]).toContain('Open the fleet');
});

it('stays complete while devices that had a verdict are silent', () => {
  const html = card({ devices: 3, reporting: 0, judged: 2 });
  expect([done(html), current(html)]).toEqual([3, undefined]);
  expect(html).toContain('The first verdicts are here');
});
