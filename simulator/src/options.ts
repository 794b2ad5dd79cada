import { parseArgs } from 'node:util';

export const HELP = `node simulator/src/main.ts --server URL --token T [options]

Simulates a fleet that speaks the real agent protocol: each device enrols, measures a made-up world, judges it with the agent's
own attribution and sends it over a connection of its own.

  --server URL     the control plane, https://host:port
  --token T        enrol token for as many devices as are new; or in a file: --token-file PATH (- is standard input)
  --devices N      1 to 20000; default 200
  --hours H        how much past to make up, 0 to 720; default 24
  --live           go on at the agent's cadence until stopped
  --seed N         another fleet; default 1
  --rate R         live: times as fast as real devices, 0.1 to 60; default 1
  --state FILE     remember devices and what was delivered, so that another run goes on
  --help           this text`;

export interface Options {
  server: string;
  token: string;
  devices: number;
  hours: number;
  live: boolean;
  seed: number;
  rate: number;
  state: string | undefined;
}

/** Every fault of the command line at once. */
export class UsageError extends Error {}

/** What the command line asks for; undefined for --help. Throws UsageError. */
export function readOptions(argv: readonly string[], readToken: (file: string) => string): Options | undefined {
  const faults: string[] = [];
  let values: Record<string, string | boolean | undefined>;
  try {
    const text = { type: 'string' } as const;
    values = parseArgs({
      args: [...argv],
      options: {
        server: text,
        token: text,
        'token-file': text,
        devices: { ...text, default: '200' },
        hours: { ...text, default: '24' },
        live: { type: 'boolean', default: false },
        seed: { ...text, default: '1' },
        rate: { ...text, default: '1' },
        state: text,
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (values.help) return undefined;
  const number = (name: string, bounds: { min: number; max: number; whole?: boolean }): number => {
    const text = String(values[name]);
    const value = Number(text);
    const isGood = text.trim() !== '' && value >= bounds.min && value <= bounds.max && (!bounds.whole || Number.isInteger(value));
    if (!isGood)
      faults.push(`--${name} ${text} is not a ${bounds.whole ? 'whole ' : ''}number from ${bounds.min} to ${bounds.max}.`);
    return value;
  };
  const server = String(values.server ?? '');
  if (!URL.canParse(server) || new URL(server).protocol !== 'https:') faults.push('--server takes https://host:port.');
  const file = values['token-file'];
  const token = typeof file === 'string' ? readToken(file) : String(values.token ?? '');
  if (token.trim() === '') faults.push('--token or --token-file is needed.');
  const options = {
    server,
    token: token.trim(),
    devices: number('devices', { min: 1, max: 20_000, whole: true }),
    hours: number('hours', { min: 0, max: 720 }),
    live: values.live === true,
    seed: number('seed', { min: 0, max: 4_294_967_295, whole: true }),
    rate: number('rate', { min: 0.1, max: 60 }),
    state: typeof values.state === 'string' ? values.state : undefined,
  };
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  return options;
}
