import { describe, expect, it } from 'vitest';
import { answerOf, BASE_PORT, type Received } from './answer.ts';

const udp = { destination: '203.0.113.10', family: 4, method: 'udp' } as const;
const icmp6 = { destination: '2001:db8:3::2', family: 6, method: 'icmp' } as const;
const echo = (index: number, type: number): Buffer => {
  const data = Buffer.alloc(16);
  data.writeUInt8(type, 0);
  data.writeUInt16BE(index, 6);
  return data;
};
const fromQueue = (error: { type: number; code?: number; offender?: string; origin?: number }, index = 3): Received => ({
  queue: 'error',
  data: Buffer.alloc(32),
  peer: { address: udp.destination, port: BASE_PORT + index },
  receivedAtMs: 5,
  error: { errno: 113, origin: error.origin ?? 2, type: error.type, code: error.code ?? 0, offender: error.offender },
});

describe('what an answer means', () => {
  it('is a hop where time was exceeded', () => {
    expect(answerOf(fromQueue({ type: 11, offender: '198.51.100.2' }), udp)).toEqual({
      index: 3,
      address: '198.51.100.2',
      kind: 'exceeded',
      receivedAtMs: 5,
    });
  });

  it("is the destination where its own port was unreachable, and the path's end where another said so", () => {
    expect(answerOf(fromQueue({ type: 3, code: 3, offender: udp.destination }), udp)?.kind).toBe('destination');
    expect(answerOf(fromQueue({ type: 3, code: 3, offender: '198.51.100.2' }), udp)?.kind).toBe('unreachable');
    expect(answerOf(fromQueue({ type: 3, code: 1, offender: '198.51.100.2' }), udp)?.kind).toBe('unreachable');
  });

  it('is a refusal where this host could not send on', () => {
    expect(answerOf(fromQueue({ type: 0, origin: 1 }), udp)).toMatchObject({ kind: 'refused', address: undefined });
  });

  it('is a refusal where this host says to itself that there is no neighbour', () => {
    const own = fromQueue({ type: 3, code: 1, offender: '192.168.77.2' });
    expect(answerOf(own, { ...udp, source: '192.168.77.2' })).toMatchObject({ kind: 'refused', address: undefined });
    expect(answerOf(own, udp)?.kind).toBe('unreachable');
  });

  it('is the destination where an echo came back', () => {
    const received: Received = {
      queue: 'data',
      data: echo(9, 129),
      peer: { address: icmp6.destination, port: 0 },
      receivedAtMs: 1,
      error: undefined,
    };
    expect(answerOf(received, icmp6)).toEqual({ index: 9, address: icmp6.destination, kind: 'destination', receivedAtMs: 1 });
    expect(answerOf({ ...received, data: echo(9, 128) }, icmp6)).toBeUndefined();
  });

  it('is none for bytes that belong to no probe', () => {
    expect(
      answerOf({ queue: 'data', data: Buffer.alloc(0), peer: undefined, receivedAtMs: 1, error: undefined }, icmp6),
    ).toBeUndefined();
    expect(
      answerOf({ queue: 'data', data: Buffer.alloc(9), peer: undefined, receivedAtMs: 1, error: undefined }, udp),
    ).toBeUndefined();
    expect(answerOf({ ...fromQueue({ type: 11 }), peer: undefined }, udp)).toBeUndefined();
    expect(answerOf({ ...fromQueue({ type: 11 }), error: undefined }, udp)).toBeUndefined();
  });
});
