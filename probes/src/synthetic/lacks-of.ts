import type { Capabilities } from '@svc/contracts/tests/runner';
import { tryEcho } from '@svc/native/path/index';
import { readTrust } from './connect/trust.ts';

/** What this machine lacks by type of test, found by trying; nothing is sent. May be asked again. `chromium` is the program's path. */
export async function lacksOf({ chromium }: { readonly chromium?: string | undefined } = {}): Promise<Capabilities> {
  readTrust();
  const icmp: Capabilities = tryEcho(4).allowed ? {} : { icmp: 'no_icmp' };
  if (chromium === undefined) return { ...icmp, browser: 'no_chromium' };
  const { lackOfBrowser } = await import('../browser/lack-of-browser.ts');
  const lack = await lackOfBrowser(chromium);
  return lack === undefined ? icmp : { ...icmp, browser: lack };
}
