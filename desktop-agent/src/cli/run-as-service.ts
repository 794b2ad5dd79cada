import { joinServiceManager } from '@svc/native/service-control/index';
import { AgentError } from '../agent-error.ts';
import type { CommandIo } from './command.ts';

/** Longer than an agent that was told to stop may take before it is ended. */
const PATIENCE_MS = 20_000;

/** Runs `work` as a service of Windows' service manager; `work` says when it has started. Throws AgentError where none began it. */
export async function runAsService(io: CommandIo, work: (started: () => void) => Promise<number>): Promise<number> {
  if (!joinServiceManager) throw new AgentError('usage', '--service is for Windows alone: here a service is "svc-agent run".');
  const service = await joinServiceManager({ name: 'svc-agent', onStop: io.stop, patienceMs: PATIENCE_MS }).catch((cause) => {
    throw new AgentError('usage', '--service is for the service manager: by hand it is "svc-agent run".', { cause });
  });
  let exitCode = 1;
  try {
    exitCode = await work(service.running);
    return exitCode;
  } finally {
    // What was told to stop has not failed: Windows would start it again.
    await service.stopped(io.signal.aborted ? 0 : exitCode);
  }
}
