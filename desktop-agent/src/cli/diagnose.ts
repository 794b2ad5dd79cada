import { join } from 'node:path';
import { reportCapabilities } from '@svc/native/capabilities/index';
import { messageOf } from '../agent-error.ts';
import { loadConfig } from '../config.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { listSegmentIds } from '../publish/segments.ts';
import type { Command } from './command.ts';

interface Finding {
  name: string;
  ok: boolean;
  detail: string;
}

async function describeIdentity(stateDir: string): Promise<Finding> {
  try {
    const held = await createIdentityStore(join(stateDir, 'identity')).load();
    if (!held) return { name: 'enrolled', ok: false, detail: 'no: run "svc-agent enroll --server URL --token TOKEN"' };
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

async function describeSpool(stateDir: string): Promise<Finding> {
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

Tries each reading once without sending a packet, and looks at this device's identity and spool.

  --json   an array of {name, ok, detail}`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    const { stateDir } = loadConfig();
    const capabilities = await reportCapabilities();
    const findings: Finding[] = capabilities.map(({ name, available, detail }) => ({ name, ok: available, detail }));
    findings.push(await describeIdentity(stateDir), await describeSpool(stateDir));
    if (options.json === true) io.out(JSON.stringify(findings, null, 2));
    else for (const { name, ok, detail } of findings) io.out(`${ok ? 'yes' : 'no '}  ${name.padEnd(14)}${detail}`);
    return 0;
  },
};
