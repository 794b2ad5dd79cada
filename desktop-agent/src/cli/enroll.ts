import { join } from 'node:path';
import { ENROL_TOKEN } from '@svc/contracts/agent/version';
import { AgentError } from '../agent-error.ts';
import { ALL_ON } from '../choices/switches.ts';
import { readFacts } from '../chores/read-facts.ts';
import { loadConfig } from '../config.ts';
import { settle } from '../identity/attempt.ts';
import { deviceFacts } from '../identity/device-facts.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { labelsToSend } from '../privacy/collect.ts';
import { openLedger } from '../publish/ledger.ts';
import { documentBlocks } from '../service/sent-record.ts';
import { lockState } from '../state-lock.ts';
import type { Command } from './command.ts';
import { readServerUrl } from './server-url.ts';

export const enrollCommand: Command = {
  summary: 'make this device known to a control plane',
  help: `svc-agent enroll --server URL --token TOKEN

Makes a key on this device and has it certified. The token comes from the console (Fleet, "Enrol a device")
or from "svc enroll-token create"; its second part proves the server. Enrolling again keeps the device.

  --server URL     the control plane, such as https://monitor.example:8443
  --token TOKEN    svc_enr_...`,
  options: { server: { type: 'string' }, token: { type: 'string' } },
  async run(options, io) {
    const server = readServerUrl(options.server);
    if (typeof options.token !== 'string') throw new AgentError('usage', 'Missing --token TOKEN: the console prints one.');
    if (!ENROL_TOKEN.test(options.token.trim()))
      throw new AgentError('usage', 'This is no enrol token: one begins with svc_enr_ and has no spaces.');
    const config = loadConfig();
    const unlock = await lockState(config.stateDir);
    try {
      const store = createIdentityStore(join(config.stateDir, 'identity'));
      const keyPem = await store.loadKey();
      const telling = { collect: config.collect, labels: labelsToSend(config, config.sendsLabels) };
      const hostFacts = await readFacts(io.runChore, io.tell);
      const facts = deviceFacts(telling, hostFacts, io.version);
      const input = { server, token: options.token, facts, ...(keyPem === undefined ? {} : { keyPem }) };
      io.out(`Sent to ${server} now: a key made on this device, the token, ${Object.values(facts).join(', ')}.`);
      const ledger = await openLedger({ directory: join(config.stateDir, 'ledger') }, io.tell);
      const attempt = await io.runChore('enroll', input);
      const known = deviceFacts({ collect: ALL_ON, labels: config }, hostFacts, io.version);
      const credentials = settle(attempt, (sent, identity) => {
        for (const block of documentBlocks(sent, identity, known)) void ledger.append(block);
      });
      await ledger.close();
      await store.save(credentials);
      const { agentId, tenantId } = credentials.identity;
      io.out(`Enrolled as ${agentId} of tenant ${tenantId}. Start measuring with: npm run svc-agent -- run`);
      return 0;
    } finally {
      await unlock();
    }
  },
};
