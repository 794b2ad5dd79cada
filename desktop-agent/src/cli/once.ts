import { join } from 'node:path';
import { createContextReader } from '@svc/native/context/index';
import { uuidv7 } from 'uuidv7';
import { systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { controlPlaneOf } from '../identity/identity.ts';
import { createIdentityStore } from '../identity/identity-store.ts';
import { createDeviceContext } from '../measure/device-context.ts';
import { createMeasurer, FULL_DEPTH } from '../measure/measurer.ts';
import { createRealProbes } from '../measure/real-probes.ts';
import { openPolicyStore } from '../policy-store.ts';
import { minimise } from '../privacy/minimise.ts';
import type { EndpointResult } from '../result.ts';
import { settingsOf } from '../settings.ts';
import type { Command } from './command.ts';
import { reportText } from './report-text.ts';

export const onceCommand: Command = {
  summary: 'measure now, print it, send nothing',
  help: `svc-agent once [--json]

Measures everything once (25 probes, under 30 s) and prints it with its verdict. Sends nothing and needs no enrolment.
SVC_ENDPOINT_TRACE_TARGETS and SVC_ENDPOINT_SESSION_TARGETS name what to trace and to open.

  --json   an array of canonical results, minimised like published ones`,
  options: { json: { type: 'boolean' } },
  async run(options, io) {
    const config = loadConfig();
    const policy = await openPolicyStore(config.stateDir, io.runChore, io.tell);
    const settings = settingsOf(config, policy.current());
    const held = await createIdentityStore(join(config.stateDir, 'identity'))
      .load()
      .catch(() => undefined);
    const results: EndpointResult[] = [];
    const context = createDeviceContext({
      reader: createContextReader(),
      steady: systemClock.steady,
      sessionKeptMs: () => settings.intervals.session,
    });
    const contextRead = context.refresh();
    const measurer = createMeasurer({
      probes: createRealProbes(io.runChore, systemClock),
      settings: () => settings,
      clock: systemClock,
      newId: uuidv7,
      emit: async (measured) => {
        await contextRead;
        for (const full of measured) {
          context.attach(full);
          results.push(minimise(full, settings.collect).result);
        }
      },
      onSession: context.noteSession,
      isTunnelled: () => context.now().vpn === true,
      onResolvers: context.noteResolvers,
      controlPlane: () => held && controlPlaneOf(held.identity),
      signal: () => io.signal,
    });
    if (options.json !== true) io.tell('Measuring for about 25 s ...');
    await measurer.all(FULL_DEPTH);
    const owner = { tenant_id: held?.identity.tenantId ?? '', agent_id: held?.identity.agentId ?? '' };
    io.out(
      options.json === true
        ? JSON.stringify(
            results.map((result) => ({ ...result, ...owner })),
            null,
            2,
          )
        : reportText(results),
    );
    return 0;
  },
};
