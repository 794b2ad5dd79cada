import type { WireResult } from '@svc/contracts/agent/messages';
import { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { describe, expect, it } from 'vitest';
import { admitResult } from './admit-result.ts';

const RECEIVED_US = Date.UTC(2026, 10, 21, 12) * 1000;
const admission = { tenant: 'acme', agentId: '01890a5d-ac96-774b-bcce-b302099a8057', receivedAtUs: RECEIVED_US };
const UUID_V7 = Uint8Array.from(Buffer.from('01890a5dac96774bbcceb302099a8057', 'hex'));

const make = (part: Partial<WireResult> = {}): WireResult => ({
  result_id: UUID_V7,
  canary_type: 'endpoint.gateway',
  server_address: '',
  server_port: 0,
  success: 0,
  error: '',
  started_at_us: RECEIVED_US - 1_000_001,
  duration_ms: -1,
  present: true,
  metrics: { 'rtt.avg.ms': 4.25, 'packet.loss.ratio': 0 },
  attributes: { 'network.gateway.address': '192.168.1.1' },
  ...part,
});

const parse = (wire: WireResult) => {
  const admitted = admitResult(wire, admission);
  if ('refused' in admitted) throw new Error(admitted.refused);
  return CanonicalResult.parse(JSON.parse(admitted.json));
};
const refusalOf = (wire: WireResult) => {
  const admitted = admitResult(wire, admission);
  return 'refused' in admitted ? admitted.refused : undefined;
};

describe('a good result', () => {
  it('becomes the canonical envelope with tenant and agent from the credential', () => {
    expect(
      parse(make({ server_address: 'app.example', server_port: 443, success: 2, error: 'ETIMEDOUT', duration_ms: 12.5 })),
    ).toEqual({
      result_id: '01890a5d-ac96-774b-bcce-b302099a8057',
      tenant_id: 'acme',
      agent_id: admission.agentId,
      canary_type: 'endpoint.gateway',
      server_address: 'app.example',
      server_port: 443,
      success: false,
      error: 'ETIMEDOUT',
      started_at: '2026-11-21T11:59:58.999999Z',
      duration_ms: 12.5,
      present: true,
      metrics: { 'rtt.avg.ms': 4.25, 'packet.loss.ratio': 0 },
      attributes: { 'network.gateway.address': '192.168.1.1' },
    });
  });

  it('leaves out what was not said', () => {
    const result = parse(make());
    for (const key of ['server_address', 'server_port', 'success', 'error', 'duration_ms'])
      expect(result).not.toHaveProperty(key);
  });

  it('has a start in the future clamped to the time of receipt, by a second or by a year', () => {
    for (const aheadUs of [1_000_000, 365 * 86_400_000_000]) {
      expect(parse(make({ started_at_us: RECEIVED_US + aheadUs })).started_at).toBe('2026-11-21T12:00:00.000Z');
    }
  });

  it('keeps any text as it is, also quotes and line ends', () => {
    const attributes = { 'network.wifi.ssid': 'Café "5 GHz"\n\u2028', 'endpoint.summary': 'x'.repeat(1024) };
    expect(parse(make({ attributes })).attributes).toEqual(attributes);
  });
});

describe('a malformed result', () => {
  const many = (count: number, value: unknown) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, value]));
  it.each<[string, Partial<WireResult>]>([
    ['an id of 15 bytes', { result_id: UUID_V7.subarray(1) }],
    ['a random UUID', { result_id: Uint8Array.from(Buffer.from('01890a5dac96474bbcceb302099a8057', 'hex')) }],
    ['no id', { result_id: undefined as never }],
    ['a type of a canary', { canary_type: 'http' }],
    ['an unknown type', { canary_type: 'endpoint.bssid' }],
    ['a long target', { server_address: 'a'.repeat(257) }],
    ['a port over 65535', { server_port: 65_536 }],
    ['success of 3', { success: 3 }],
    ['a long error', { error: 'e'.repeat(513) }],
    ['no start', { started_at_us: 0 }],
    ['a start 32 days ago', { started_at_us: RECEIVED_US - 32 * 86_400_000_000 }],
    ['a start beyond whole numbers', { started_at_us: 2 ** 60 }],
    ['a duration that is no number', { duration_ms: Number.NaN }],
    ['an endless duration', { duration_ms: Number.POSITIVE_INFINITY }],
    ['a metric that is no number', { metrics: { 'rtt.avg.ms': Number.NaN } }],
    ['an endless metric', { metrics: { 'rtt.avg.ms': Number.NEGATIVE_INFINITY } }],
    ['an empty metric key', { metrics: { '': 1 } }],
    ['a long metric key', { metrics: { ['k'.repeat(129)]: 1 } }],
    ['513 metrics', { metrics: many(513, 1) as Record<string, number> }],
    ['metrics though it is not present', { present: false }],
    ['an empty attribute key', { attributes: { '': 'x' } }],
    ['a long attribute', { attributes: { k: 'v'.repeat(1025) } }],
    ['a NUL in an attribute', { attributes: { k: 'a\0b' } }],
    ['a NUL in the target', { server_address: 'a\0b' }],
    ['half a character', { attributes: { k: '\ud83d' } }],
    ['513 attributes', { attributes: many(513, 'v') as Record<string, string> }],
  ])('is refused: %s', (_name, part) => {
    expect(refusalOf(make(part))).toEqual(expect.any(String));
  });

  it.each(['network.wifi.bssid', 'BSSID', 'wifi.ap.mac', 'host.mac', 'mac', 'mac_address', 'macaddr'])(
    'is refused for the hardware address in %s, as attribute and as metric',
    (key) => {
      expect(refusalOf(make({ attributes: { [key]: 'aa:bb:cc:dd:ee:ff' } }))).toMatch(/hardware address/);
      expect(refusalOf(make({ metrics: { [key]: 1 } }))).toMatch(/hardware address/);
    },
  );

  it.each(['machine.type', 'os.macos.version', 'network.wifi.ssid'])('is not refused for the harmless key %s', (key) => {
    expect(refusalOf(make({ attributes: { [key]: 'x' } }))).toBeUndefined();
  });
});

/** Deterministic noise, so that a failure can be repeated. */
function createNoise(seed: number) {
  let state = seed;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  return { next, pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T };
}

describe('against the schema of contracts', () => {
  it('admits nothing that the schema refuses, for 5,000 odd results', () => {
    const { pick } = createNoise(7);
    const numbers = [0, 1, -1, 0.5, 1e308, Number.NaN, Number.POSITIVE_INFINITY, 65_535, 65_536, 2 ** 53];
    const texts = [
      '',
      'a',
      'x'.repeat(128),
      'x'.repeat(129),
      'x'.repeat(256),
      'x'.repeat(257),
      'x'.repeat(1025),
      '\u0000',
      'é😀',
    ];
    const types = ['endpoint.wifi', 'endpoint.session', 'endpoint.agent', 'http', '', 'endpoint.'];
    let admitted = 0;
    for (let i = 0; i < 5000; i += 1) {
      const wire = make({
        result_id: pick([UUID_V7, UUID_V7, UUID_V7, new Uint8Array(16), new Uint8Array(0)]),
        canary_type: pick(types),
        server_address: pick(texts),
        server_port: pick([0, 443, 65_535, 65_536]),
        success: pick([0, 1, 2, 3]),
        error: pick(['', 'e', 'e'.repeat(512), 'e'.repeat(513)]),
        started_at_us: pick([RECEIVED_US, RECEIVED_US + 5, RECEIVED_US - 1, 0, 2 ** 60]),
        duration_ms: pick(numbers),
        present: pick([true, false]),
        metrics: pick([{}, {}, { [pick(texts)]: pick(numbers) }]),
        attributes: pick([{}, { [pick(texts)]: pick(texts) }]),
      });
      const result = admitResult(wire, admission);
      if ('refused' in result) continue;
      admitted += 1;
      const parsed = CanonicalResult.safeParse(JSON.parse(result.json));
      expect(parsed.error?.issues ?? []).toEqual([]);
    }
    expect(admitted).toBeGreaterThan(50);
  });
});
