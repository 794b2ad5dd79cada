import { describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createPace } from './pace.ts';

const [flood, quiet] = [parseTenantId('flood'), parseTenantId('quiet')];

function open() {
  let now = 1000;
  const headroom = { holdMs: (tenant: TenantId, bytes: number) => (tenant === flood && bytes > 1000 ? 150 : 0) };
  const pace = createPace(() => now, headroom);
  return {
    pace,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

describe('how long an answer is held', () => {
  test('not at all while the tenant’s rows are stored soon, and never for another tenant or signal', () => {
    const { pace } = open();
    expect(pace.holdMs('traces', flood, 1)).toBe(0);
    pace.stored('traces', flood, 450);
    expect(pace.holdMs('traces', flood, 1)).toBe(0);
    pace.stored('traces', flood, 900);
    expect(pace.holdMs('traces', quiet, 1)).toBe(0);
    expect(pace.holdMs('logs', flood, 1)).toBe(0);
  });

  test('longer the later the rows are, up to a second', () => {
    const { pace } = open();
    pace.stored('traces', flood, 900);
    expect(pace.holdMs('traces', flood, 1)).toBe(200);
    pace.stored('traces', flood, 3_600_000);
    expect(pace.holdMs('traces', flood, 1)).toBe(1000);
    pace.stored('traces', flood, 400);
    expect(pace.holdMs('traces', flood, 1)).toBe(0);
  });

  test('not once nothing was stored for a while: then the store is away, and the bus keeps what comes', () => {
    const { pace, wait } = open();
    pace.stored('traces', flood, 980);
    wait(4999);
    expect(pace.holdMs('traces', flood, 1)).toBe(240);
    wait(2);
    expect(pace.holdMs('traces', flood, 1)).toBe(0);
  });

  test('longer where another replica stores what is received here', () => {
    const { pace, wait } = open();
    pace.storedElsewhere('logs', flood, 900);
    expect(pace.holdMs('logs', flood, 1)).toBe(200);
    pace.storedElsewhere('logs', flood, 60_000);
    expect(pace.holdMs('logs', flood, 1)).toBe(4000);
    expect(pace.holdMs('logs', quiet, 1)).toBe(0);
    wait(5001);
    expect(pace.holdMs('logs', flood, 1)).toBe(0);
  });

  test('a clock that was set back holds nobody', () => {
    const { pace } = open();
    pace.stored('traces', flood, -3_600_000);
    expect(pace.holdMs('traces', flood, 1)).toBe(0);
  });

  test('for the store or for others, whichever is longer; and counts it', () => {
    const { pace } = open();
    pace.holdMs('traces', quiet, 2000);
    expect(pace.holdMs('traces', flood, 2000)).toBe(150);
    pace.stored('traces', flood, 900);
    expect(pace.holdMs('traces', flood, 2000)).toBe(200);
    expect([...pace.held]).toEqual([[flood, 2]]);
  });
});
