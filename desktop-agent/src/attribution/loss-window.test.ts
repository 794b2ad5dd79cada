import { expect, it } from 'vitest';
import { createLossWindow } from './loss-window.ts';

it('holds the newest 50 probes in whole rounds', () => {
  const window = createLossWindow(50);
  window.add({ sent: 10, lost: 10 });
  for (let i = 0; i < 4; i++) window.add({ sent: 10, lost: 0 });
  expect(window.total()).toEqual({ sent: 50, lost: 10, atOnce: true });
  window.add({ sent: 10, lost: 1 });
  expect(window.total()).toEqual({ sent: 50, lost: 1, atOnce: true });
  window.add({ sent: 10, lost: 1 });
  expect(window.total()).toEqual({ sent: 50, lost: 2 });
  window.clear();
  expect(window.total()).toEqual({ sent: 0, lost: 0 });
});
