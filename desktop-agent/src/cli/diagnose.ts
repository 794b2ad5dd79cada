import { join } from 'node:path';
import { reportCapabilities } from '@svc/native/capabilities/index';
import { createContextReader } from '@svc/native/context/index';
import { tracePath } from '@svc/native/path/index';
import { readResolvers } from '@svc/native/resolvers/index';
import { readWifi } from '@svc/native/wifi/index';
import { measureGateway } from '@svc/probes/gateway';
import { messageOf } from '../agent-error.ts';
import { loadConfig } from '../config.ts';
import { diagnoseDevice } from '../diagnosis/diagnose-device.ts';
import type { StateFinding } from '../diagnosis/diagnosis.ts';
import { diagnosisText } from '../diagnosis/diagnosis-text.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { listSegmentIds } from '../publish/segments.ts';
import type { Command } from './command.ts';

async function describeIdentity(stateDir: string): Promise<StateFinding> {
  try {
    const held = await createIdentityStore(join(stateDir, 'identity')).load();
    if (!held) return { name: 'enrolled', ok: false, detail: 'run "svc-agent enroll --server URL --token TOKEN"' };
    const { agentId, tenantId, server, notAfter } = held.identity;
    const expired = Date.parse(notAfter) < Date.now() ? 'ran out' : 'valid until';
    return {
      name: 'enrolled',
      ok: true,
      detail: `${agentId} of tenant ${tenantId} at ${server}; certificate ${expired} ${notAfter}`,
    };
  } catch (error) {
    return { name: 'enrolled', ok: false, detail: messageOf(error) };
  }
}

async function describeSpool(stateDir: string): Promise<StateFinding> {
  try {
    const segments = await listSegmentIds(join(stateDir, 'spool'));
    return {
      name: 'spool',
      ok: true,
      detail: segments.length === 0 ? 'not used yet' : `${segments.length} files in ${stateDir}/spool`,
    };
  } catch (error) {
    return { name: 'spool', ok: false, detail: messageOf(error) };
  }
}

export const diagnoseCommand: Command = {
  summary: 'tell what can be measured here, and why the rest cannot',
  help: `svc-agent diagnose [--json]

Takes each reading once and prints its value, or why there is none; then the permissions, what this look took, and this
device's identity and spool. Sends a few packets to this device's own gateway and to itself, nothing else and nobody else.

  --json   one object with "version" 1, described in docs/devices/platforms.md`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    const { stateDir, collect } = loadConfig();
    const instruments = { readWifi, measureGateway, tracePath, readResolvers, createContextReader, reportCapabilities };
    const state = [await describeIdentity(stateDir), await describeSpool(stateDir)];
    const diagnosis = await diagnoseDevice(instruments, { agentVersion: io.version, collect, state });
    io.out(options.json === true ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis));
    return 0;
  },
};
