import type { Incapability } from '@svc/contracts/tests/runner';

const LACKS: Readonly<Record<Incapability, string>> = {
  no_icmp: 'may not send ICMP',
  no_chromium: 'has no Chromium',
  no_sandbox: 'has no sandbox for Chromium',
  no_ipv6: 'has no IPv6',
  switched_off: 'switched off there',
};

/** Why a runner cannot run a type of test. */
export const lackWords = (lack: Incapability): string => LACKS[lack];
