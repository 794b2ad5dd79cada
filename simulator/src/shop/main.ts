import { readShopOptions, SHOP_HELP } from './options.ts';
import { runShop, type ShopOptions, type ShopReport } from './run-shop.ts';

const PROGRESS_MS = 2000;
const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const thousands = (value: number): string => value.toLocaleString('en-GB');

function createReport(options: ShopOptions): ShopReport {
  let saidMs = 0;
  let trouble = '';
  return {
    backfilling(share) {
      if (Date.now() - saidMs < PROGRESS_MS) return;
      saidMs = Date.now();
      say(`Sending the shop's last ${options.hours} h: ${Math.round(share * 100)} %`);
    },
    complete({ spans, logs, points, seconds }) {
      say(
        `The shop: ${thousands(spans)} spans, ${thousands(logs)} log records, ${thousands(points)} points in ${seconds.toFixed(1)} s.`,
      );
      process.send?.({ type: 'shop-ready', spans, logs, points, seconds });
    },
    trouble(message) {
      if (message === trouble) return;
      trouble = message;
      process.stderr.write(`The shop's ${message}\n`);
    },
  };
}

async function main(): Promise<number> {
  let options: ShopOptions | undefined;
  try {
    options = readShopOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  if (!options) {
    say(SHOP_HELP);
    return 0;
  }
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  // Started by npm run demo: when it is gone, even by kill -9, so are we.
  process.once('disconnect', end);
  try {
    await runShop(options, createReport(options), stop.signal);
    return 0;
  } catch (error) {
    process.stderr.write(`The shop ended: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}

process.exitCode = await main();
process.disconnect?.();
