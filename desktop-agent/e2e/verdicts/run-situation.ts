import { createNetlab } from '@svc/testkit/netlab/netlab';
import { type Observed, startDevice } from './device.ts';
import { APP, type Situation, type Stage } from './situations/situation.ts';

const MINUTE_MS = 60_000;

export interface Outcome {
  readonly situation: Situation;
  /** The verdict at the end; undefined where the situation could not be played. */
  readonly observed: Observed | undefined;
  readonly error?: string;
  readonly seconds: number;
}

/** Plays one situation in a lab of its own. Never rejects. */
export async function runSituation(situation: Situation): Promise<Outcome> {
  const beganMs = performance.now();
  const seconds = (): number => (performance.now() - beganMs) / 1000;
  try {
    return { situation, observed: await play(situation), seconds: seconds() };
  } catch (error) {
    return { situation, observed: undefined, error: String(error), seconds: seconds() };
  }
}

async function play(situation: Situation): Promise<Observed | undefined> {
  const lab = await createNetlab({ icmpSockets: true, icmpRateLimit: false, ...situation.lab });
  try {
    const device = startDevice(lab, { traceTargets: [lab.server.v4], sessionTargets: [APP], ...situation.device });
    let newest: Observed | undefined;
    const stage: Stage = {
      lab,
      device,
      async rounds(count, everyMs = MINUTE_MS) {
        for (let i = 0; i < count; i += 1) newest = (await device.do({ advanceMs: everyMs, round: true })) ?? newest;
      },
      async measure(...parts) {
        newest = (await device.do({ round: true, parts })) ?? newest;
      },
      wifi: async (wifi) => void (await device.do({ wifi })),
      pass: async (advanceMs) => void (await device.do({ advanceMs })),
      async root(node, command) {
        const { code, stderr } = await lab.exec(node, ['sh', '-ec', command], { uid: 0 });
        if (code !== 0) throw new Error(`${node}: ${command}: ${stderr}`);
      },
    };
    await situation.play(stage);
    device.close();
    return newest;
  } finally {
    await lab.close();
  }
}

/** Situations at once: they wait far more than they compute. */
export const WIDTH = 8;

/** Several at once; what each says it was waits for none of the others. */
export async function runCorpus(
  situations: readonly Situation[],
  { width, onOutcome }: { width: number; onOutcome?: (outcome: Outcome) => void },
): Promise<Outcome[]> {
  const outcomes = new Map<Situation, Outcome>();
  const rest = [...situations];
  const lane = async (): Promise<void> => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const outcome = await runSituation(next);
      outcomes.set(next, outcome);
      onOutcome?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return situations.flatMap((one) => outcomes.get(one) ?? []);
}
