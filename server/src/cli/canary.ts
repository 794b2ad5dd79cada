import { CanaryFault } from '@svc/runner/canary-fault';
import type { EnrolOptions, RunOptions } from '@svc/runner/remote/run-canary';
import { AppError } from '#kernel';
import { type Command, type CommandInput, textOption } from './command.ts';

export interface CanaryCommandDeps {
  enrolHere: (
    wanted: Pick<EnrolOptions, 'server' | 'token' | 'name' | 'labels'>,
  ) => Promise<{ runnerId: string; tenantId: string }>;
  runHere: (wanted: Pick<RunOptions, 'tell'>) => Promise<{ ended: Promise<void>; stop(): Promise<void> }>;
  /** Resolves when the process is asked to end. */
  untilStopped: () => Promise<void>;
}

const CODES: Readonly<Record<CanaryFault['kind'], AppError['code']>> = {
  usage: 'bad_request',
  untrusted: 'unavailable',
  unreachable: 'unavailable',
  refused: 'unavailable',
  removed: 'forbidden',
  upgrade_required: 'upgrade_required',
  unknown: 'not_found',
  state: 'unavailable',
};

async function inOurWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CanaryFault) throw new AppError(CODES[error.kind], error.message, { cause: error });
    throw error;
  }
}

/** `key=value,key=value`. */
function readLabels(input: CommandInput): Record<string, string> {
  const entries = (textOption(input, 'label') ?? '').split(',').map((text) => text.trim());
  return Object.fromEntries(
    entries.filter(Boolean).map((entry) => {
      const [, key, value] = /^([a-z0-9][a-z0-9_.-]{0,62})=(.{1,128})$/.exec(entry) ?? [];
      if (key === undefined || value === undefined)
        throw new AppError('bad_request', `Invalid label "${entry}": write key=value, the key in lower case.`);
      return [key, value];
    }),
  );
}

/** `svc canary enroll --server URL --token T [--name N] [--label k=v,k=v]` and `svc canary run` */
export function createCanaryCommands({ enrolHere, runHere, untilStopped }: CanaryCommandDeps): Command[] {
  return [
    {
      name: 'canary enroll',
      summary: 'Makes this machine a runner of synthetic tests.',
      details:
        'The token is created on the page of runners, or by svc runner-token create. What is kept lies in SVC_CANARY_STATE_DIR.',
      options: {
        server: { type: 'string', value: 'URL', required: true, help: 'the control plane, such as https://svc.example:8443' },
        token: { type: 'string', value: 'TOKEN', required: true, help: 'begins with svc_run_' },
        name: { type: 'string', value: 'NAME', help: 'name on the page of runners; default the one of the token' },
        label: { type: 'string', value: 'K=V,...', help: 'labels by which tests choose runners' },
      },
      async run(input) {
        const name = textOption(input, 'name')?.trim();
        const { runnerId, tenantId } = await inOurWords(
          enrolHere({
            server: textOption(input, 'server') ?? '',
            token: textOption(input, 'token') ?? '',
            name: name === '' ? undefined : name,
            labels: readLabels(input),
          }),
        );
        input.print(`Enrolled as runner ${runnerId} of tenant ${tenantId}. Start it: svc canary run`);
      },
    },
    {
      name: 'canary run',
      summary: 'Runs the synthetic tests of this runner until it is stopped.',
      details:
        'Without a connection it goes on measuring and sends what it measured later. SVC_TARGETS_ALLOW and SVC_CHROMIUM are read here, on this machine.',
      async run(input) {
        const canary = await inOurWords(runHere({ tell: input.print }));
        try {
          await inOurWords(Promise.race([canary.ended, untilStopped()]));
        } finally {
          await canary.stop();
        }
      },
    },
  ];
}
