import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PbfReader, PbfWriter } from 'pbf';
import { describe, expect, it } from 'vitest';
import { Policy, PolicyFromServer } from '../policy.ts';
import { type AgentStatus, agentStatus, batchAck, type ServerMessage, serverMessage } from './messages.ts';

const FIRST_FIELDS: Readonly<Record<string, number>> = { AgentStatus: 14, BatchAck: 4, ServerMessage: 4 };

interface OldCodec {
  read(bytes: Uint8Array): Record<string, unknown>;
  write(message: unknown): Uint8Array;
}

/** The codec of an agent or server that has only the fields which the protocol began with. */
async function oldCodecOf(name: 'AgentStatus' | 'BatchAck' | 'ServerMessage'): Promise<OldCodec> {
  const ofPbf = createRequire(createRequire(import.meta.url).resolve('pbf'));
  const resolve = ofPbf('resolve-protobuf-schema');
  const { compileRaw } = await import(ofPbf.resolve('pbf/compile'));
  const folder = mkdtempSync(join(tmpdir(), 'svc-old-codec-'));
  try {
    const schema = resolve.sync(join(import.meta.dirname, '../../proto/agent.proto'));
    for (const message of schema.messages) {
      const most = FIRST_FIELDS[message.name] ?? 99;
      message.fields = message.fields.filter((field: { tag: number }) => field.tag <= most);
    }
    const path = join(folder, 'old-codec.mjs');
    writeFileSync(path, compileRaw(schema, {}));
    const codec = await import(path);
    return {
      read: (bytes) => codec[`read${name}`](new PbfReader(bytes)),
      write(message) {
        const pbf = new PbfWriter();
        codec[`write${name}`](message, pbf);
        return pbf.finish();
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const status: AgentStatus = {
  state: 'needs_permission',
  paused_until_ms: 0,
  agent_version: '1.0.0',
  os: 'darwin',
  os_version: '25.0',
  arch: 'arm64',
  model: '',
  policy_version: 3,
  spool_results: 0,
  spool_dropped: 0,
  device_name: 'LAPTOP-1',
  clock_ms: 1,
  disclosure_shown_at: '',
  simulated: false,
};

describe('additions to the protocol', () => {
  it('an older server passes over what a newer agent says of its face', async () => {
    const bytes = agentStatus.encode({
      ...status,
      face: 'window',
      missing_permissions: ['location', 'local_network'],
      disclosure: 'accepted',
    });
    const old = await oldCodecOf('AgentStatus');
    expect(old.read(bytes)).toEqual(status);
    expect(agentStatus.decode(bytes)).toMatchObject({ face: 'window', missing_permissions: ['location', 'local_network'] });
  });

  it('a newer server reads an older agent as saying nothing', async () => {
    const old = await oldCodecOf('AgentStatus');
    const silent = { face: '', missing_permissions: [], disclosure: '', site: '', owner_email: '' };
    expect(agentStatus.decode(old.write(status))).toEqual({ ...status, ...silent });
  });

  it('an older agent passes over a receipt, and a newer one reads an older server as giving none', async () => {
    const old = await oldCodecOf('BatchAck');
    const ack = { sequence: 3, accepted: 2, rejected: 0, rejected_reasons: [] };
    expect(old.read(batchAck.encode({ ...ack, receipt: Buffer.from('signed'), received_at_ms: 5 }))).toEqual(ack);
    const read = batchAck.decode(old.write(ack));
    expect([read.receipt?.length ?? 0, read.received_at_ms]).toEqual([0, 0]);
  });

  it('an older agent passes over what a newer server tells of itself, and the reverse', async () => {
    const old = await oldCodecOf('ServerMessage');
    const first: ServerMessage = { policy_json: '{}', run_now: true, server_clock_ms: 5, renew_now: false };
    const told = { ...first, ring: 'early', organisation: 'Example GmbH', readers: 3, kept_days: 30, shared_json: '{}' };
    expect(old.read(serverMessage.encode(told))).toEqual(first);
    expect(serverMessage.decode(serverMessage.encode(told))).toEqual(told);
    expect(serverMessage.decode(old.write(first))).toEqual({
      ...first,
      ring: '',
      organisation: '',
      readers: 0,
      kept_days: 0,
      shared_json: '',
    });
  });

  it('no field of the first protocol has moved', () => {
    const proto = readFileSync(join(import.meta.dirname, '../../proto/agent.proto'), 'utf8');
    expect(proto).toContain('string disclosure_shown_at = 13;');
    expect(proto).toContain('bool simulated = 14;');
    expect(proto).toContain('bool renew_now = 4;');
  });
});

it('an agent takes a policy with keys that it does not know, the API refuses them', () => {
  const newer = { ...Policy.parse({ version: 7 }), later: 1, collect: { ssid: false, later: true }, thresholds: { later: 2 } };
  expect(PolicyFromServer.parse(newer)).toEqual(Policy.parse({ version: 7, collect: { ssid: false } }));
  expect(Policy.safeParse(newer).success).toBe(false);
});
