import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ShopOptions } from './run-shop.ts';

export const SHOP_HELP = `node simulator/src/shop/main.ts --endpoint URL --token-file PATH [options]

Simulates a web shop of a dozen services and sends its traces, logs and metrics over OTLP/HTTP. What is wrong in it is known: a payment
provider that is slow, and a version of checkout that fails (simulator/src/shop/incidents.ts).

  --endpoint URL     the OTLP receiver, https://host:port
  --token-file PATH  its bearer token (- is standard input)
  --ca FILE          PEM of the authority that its certificate is trusted by
  --hours H          how much past to make up, 0 to 168; default 24
  --live             go on until stopped
  --seed N           other requests; default 1
  --state FILE       remember what was delivered, so that another run goes on
  --help             this text`;

/** Every fault of the command line at once. */
export class ShopUsageError extends Error {}

/** What the command line asks for; undefined for --help. Throws ShopUsageError. */
export function readShopOptions(argv: readonly string[], readFile = readFileSync): ShopOptions | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...argv],
    options: {
      endpoint: text,
      'token-file': text,
      ca: text,
      hours: { ...text, default: '24' },
      live: { type: 'boolean', default: false },
      seed: { ...text, default: '1' },
      state: text,
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const faults: string[] = [];
  const endpoint = values.endpoint ?? '';
  if (!URL.canParse(endpoint) || new URL(endpoint).protocol !== 'https:') faults.push('--endpoint takes https://host:port.');
  const file = values['token-file'];
  if (file === undefined) faults.push('--token-file is needed.');
  const hours = Number(values.hours);
  if (!(hours >= 0 && hours <= 168)) faults.push(`--hours ${values.hours} is not a number from 0 to 168.`);
  const seed = Number(values.seed);
  if (!Number.isInteger(seed) || seed < 0) faults.push(`--seed ${values.seed} is not a whole number.`);
  if (faults.length > 0) throw new ShopUsageError(faults.join('\n'));
  const token = String(readFile(file === '-' ? 0 : (file as string), 'utf8')).trim();
  if (token === '') throw new ShopUsageError('The token file is empty.');
  const ca = values.ca === undefined ? undefined : String(readFile(values.ca, 'utf8'));
  return { endpoint, token, ca, hours, live: values.live, seed, state: values.state };
}
