import { joinServiceManager } from '@svc/native/service-control/index';
import { AgentError, messageOf } from '../agent-error.ts';
import type { CommandIo } from './command.ts';
import { exitCodeOf } from './exit-code.ts';

/** Longer than an agent that was told to stop may take before it is ended. */
const PATIENCE_MS = 20_000;

export type HearPower = (power: 'suspend' | 'resume') => void;
/** Says that the start is done, and takes who hears that the machine sleeps and wakes. */
export type Started = (hear: HearPower) => void;

/** Runs `work` as a service of Windows' service manager, which is told with what it failed. Throws AgentError where none began it. */
export async function runAsService(io: CommandIo, work: (started: Started) => Promise<number>): Promise<number> {
  if (!joinServiceManager) throw new AgentError('usage', '--service is for Windows alone: here a service is "svc-agent run".');
  let hearPower: HearPower = () => undefined;
  const service = await joinServiceManager({
    name: 'svc-agent',
    onStop: io.stop,
    onPower: (power) => hearPower(power),
    patienceMs: PATIENCE_MS,
  }).catch((cause) => {
    throw new AgentError('usage', '--service is for the service manager: by hand it is "svc-agent run".', { cause });
  });
  let exitCode = 1;
  try {
    exitCode = await work((hear) => {
      hearPower = hear;
      service.running();
    });
  } catch (error) {
    exitCode = exitCodeOf(error);
    io.tell(messageOf(error));
  }
  // What was told to stop has not failed: Windows would start it again.
  await service.stopped(io.signal.aborted ? 0 : exitCode);
  return exitCode;
}
