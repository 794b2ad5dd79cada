import { describe, expect, it } from 'vitest';
import { encodeAttribute, encodeU32 } from '../ffi/netlink/netlink-message.ts';
import { bytesOf, readWifiRecording, seededBytes } from '../testing/recordings.ts';
import { bandOf, channelOf } from './channel.ts';
import { encodeGeneric, parseAssociatedCell, parseFamilyId, parseInterface, parseStation, parseSurvey } from './nl80211.ts';

const connected = readWifiRecording('rec-connected');
const messages = (key: string): Buffer[] => (connected[key] ?? []).map(bytesOf);
const parsers = { parseFamilyId, parseInterface, parseStation, parseSurvey, parseAssociatedCell };
const everyMessage = Object.values(connected).flat().map(bytesOf);

describe('recorded replies of nl80211', () => {
  it('name the interfaces and leave out the one without a name', () => {
    expect(messages('interfaces').map(parseInterface)).toEqual([
      { index: 4, name: 'wlan2', mode: 2, ssid: undefined, frequencyMhz: undefined },
      undefined,
      { index: 3, name: 'wlan1', mode: 2, ssid: undefined, frequencyMhz: 5180 },
    ]);
  });

  it('tell signal, transmit rate and counted frames of the link', () => {
    const frames = { sent: 43, retried: 0, tries: 43, failed: 0, beaconsLost: 0 };
    expect(messages('station3').map(parseStation)).toEqual([{ rssiDbm: -27, linkRateMbps: 702, frames, connectedSeconds: 8 }]);
  });

  it('tell noise and airtime of each surveyed channel', () => {
    const airtime = { activeMs: 208, busyMs: 26, transmitMs: undefined };
    expect(messages('survey3').map(parseSurvey)).toContainEqual({ frequencyMhz: 5180, noiseDbm: -92, inUse: false, airtime });
  });

  it('tell the SSID of the associated cell only', () => {
    expect(messages('scan3').map(parseAssociatedCell)).toEqual([
      { ssid: 'Bureau-Été', frequencyMhz: 5180, rssiDbm: -27, signalPercent: undefined },
    ]);
    const [cell = Buffer.alloc(0)] = messages('scan3');
    const neighbour = Buffer.from(cell);
    // The status attribute stands last: 1 is "associated", 0 only "authenticated".
    neighbour.writeUInt32LE(0, neighbour.length - 4);
    expect(parseAssociatedCell(neighbour)).toBeUndefined();
  });
});

describe('damaged replies', () => {
  it('never make a parser throw, cut at every length', () => {
    for (const message of everyMessage) {
      for (let length = 0; length <= message.length; length += 1) {
        for (const parse of Object.values(parsers)) expect(() => parse(message.subarray(0, length))).not.toThrow();
      }
    }
  });

  it('never make a parser throw, bytes changed at random', () => {
    const random = seededBytes(11);
    for (const message of everyMessage) {
      for (let i = 0; i < 300; i += 1) {
        const damaged = Buffer.from(message);
        const where = random(8);
        for (let k = 0; k < 4; k += 1) damaged[(where.readUInt8(k) * 257 + i) % damaged.length] = where.readUInt8(k + 4);
        for (const parse of Object.values(parsers)) expect(() => parse(damaged)).not.toThrow();
      }
    }
  });

  it('give no value where an attribute is too short for it', () => {
    const short = encodeGeneric(
      7,
      Buffer.concat([
        encodeAttribute(3, encodeU32(3)),
        encodeAttribute(4, Buffer.from('w\0')),
        encodeAttribute(38, Buffer.from([1, 2])),
      ]),
    );
    expect(parseInterface(short)).toEqual({ index: 3, name: 'w', mode: undefined, ssid: undefined, frequencyMhz: undefined });
  });

  it('take an empty, zeroed or overlong SSID for none', () => {
    for (const ssid of [Buffer.alloc(0), Buffer.alloc(4), Buffer.alloc(33, 65)]) {
      const message = encodeGeneric(
        7,
        Buffer.concat([encodeAttribute(3, encodeU32(3)), encodeAttribute(4, Buffer.from('w\0')), encodeAttribute(52, ssid)]),
      );
      expect(parseInterface(message)?.ssid).toBeUndefined();
    }
  });
});

describe('channels and bands', () => {
  it.each([
    [2412, 1, '2.4'],
    [2472, 13, '2.4'],
    [2484, 14, '2.4'],
    [4920, 184, '5'],
    [5180, 36, '5'],
    [5825, 165, '5'],
    [5935, 2, '6'],
    [5955, 1, '6'],
    [7115, 233, '6'],
    [58_320, 1, '60'],
  ])('%i MHz is channel %i of %s GHz', (frequency, channel, band) => {
    expect([channelOf(frequency), bandOf(frequency)]).toEqual([channel, band]);
  });

  it.each([0, 900, 2413, 3650, 80_000])('%i MHz has no channel', (frequency) => {
    expect(channelOf(frequency)).toBeUndefined();
  });
});
