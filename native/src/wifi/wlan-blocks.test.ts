import { expect, it } from 'vitest';
import { guidText } from '../ffi/wlanapi.ts';
import { CHANNEL, CURRENT_CONNECTION, REALTIME_QUALITY, RSSI, STATISTICS, type WlanBlock } from './wlan-blocks.ts';

/** Cuts an answer into the ranges that a block reads. */
const parse = (block: WlanBlock, answer: Buffer) =>
  block.parse(block.ranges.map(([from, to]) => (to <= answer.length ? answer.subarray(from, to) : Buffer.alloc(0))));

const u32 = (...values: number[]): Buffer => {
  const out = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) out.writeInt32LE(value, 4 * i);
  return out;
};

it('reads signal and channel', () => {
  expect(parse(RSSI, u32(-59))).toEqual({ rssiDbm: -59 });
  for (const nonsense of [u32(0), u32(12), u32(-32768), Buffer.alloc(2)]) expect(parse(RSSI, nonsense)).toEqual({});
  expect(parse(CHANNEL, u32(44))).toEqual({ channel: 44 });
  expect(parse(CHANNEL, u32(0))).toEqual({});
});

const quality = (links: number, frequency: number): Buffer =>
  Buffer.concat([u32(10, 84, 866_700, 720_500, 0, links), u32(0, frequency, 80, -59), Buffer.alloc(256)]);

it('reads the quality in real time, frequencies in MHz or kHz', () => {
  const common = { signalPercent: 84, linkRateMbps: 720.5 };
  expect(parse(REALTIME_QUALITY, quality(1, 5220))).toEqual({ ...common, rssiDbm: -59, frequencyMhz: 5220 });
  expect(parse(REALTIME_QUALITY, quality(2, 5_955_000))).toEqual({ ...common, rssiDbm: -59, frequencyMhz: 5955 });
  expect(parse(REALTIME_QUALITY, quality(0, 0))).toEqual(common);
  expect(parse(REALTIME_QUALITY, quality(1, 5220).subarray(0, 20))).toEqual(common);
});

it('adds the frames of all generations of 802.11 that the radio speaks', () => {
  const statistics = (phys: number): Buffer => {
    const bytes = Buffer.alloc(224 + phys * 144, 0xee);
    bytes.writeUInt32LE(phys, 216);
    for (let i = 0; i < phys; i += 1) {
      const at = 224 + i * 144;
      for (const [field, value] of [
        [0, 1000],
        [16, 7],
        [24, 90],
      ] as const)
        bytes.writeBigUInt64LE(BigInt(value), at + field);
    }
    return bytes;
  };
  expect(parse(STATISTICS, statistics(1)).frames).toEqual({
    sent: 1000,
    failed: 7,
    retried: 90,
    tries: 1000,
    beaconsLost: undefined,
  });
  expect(parse(STATISTICS, statistics(3)).frames).toMatchObject({ sent: 3000, failed: 21, retried: 270 });
  expect(parse(STATISTICS, statistics(12)).frames).toMatchObject({ sent: 8000 });
  expect(parse(STATISTICS, statistics(1).subarray(0, 300))).toMatchObject({ frames: { sent: 1000 } });
  expect(parse(STATISTICS, statistics(0))).toEqual({});
  expect(parse(STATISTICS, Buffer.alloc(100))).toEqual({});
});

it("never reads the access point's address", () => {
  const address = { from: 560, to: 566 };
  for (const [from, to] of CURRENT_CONNECTION.ranges) expect(to <= address.from || from >= address.to).toBe(true);
  const answer = Buffer.alloc(604, 0xee);
  u32(4).copy(answer, 520);
  answer.write('corp', 524);
  u32(82, 866_700, 780_000).copy(answer, 576);
  expect(parse(CURRENT_CONNECTION, answer)).toEqual({ ssid: 'corp', signalPercent: 82, linkRateMbps: 780 });
});

it('has no SSID where it is hidden or longer than it may be', () => {
  for (const length of [0, 33, 0xffff]) {
    const answer = Buffer.alloc(604, 0x41);
    u32(length).copy(answer, 520);
    expect(parse(CURRENT_CONNECTION, answer).ssid).toBeUndefined();
  }
  const zeros = Buffer.alloc(604);
  u32(8).copy(zeros, 520);
  expect(parse(CURRENT_CONNECTION, zeros).ssid).toBeUndefined();
});

it('writes a GUID as Windows does', () => {
  expect(guidText(Buffer.from('78563412bc9af0de0102030405060708', 'hex'))).toBe('{12345678-9abc-def0-0102-030405060708}');
});
