import { IPV6_ONLY, PORTAL, VPN } from './away.ts';
import { CERTIFICATES } from './certificates.ts';
import { HEALTHY } from './healthy.ts';
import { DOUBLED, HISTORY } from './history.ts';
import { NAMES, PROXY } from './names.ts';
import { ISP, LOCAL } from './near.ts';
import { PATH } from './path.ts';
import { RADIO } from './radio.ts';
import { SERVICE } from './service.ts';
import type { Situation } from './situation.ts';

/** All situations, those that are near the device first. */
export const SITUATIONS: readonly Situation[] = [
  ...HEALTHY,
  ...RADIO,
  ...LOCAL,
  ...ISP,
  ...PATH,
  ...NAMES,
  ...PROXY,
  ...PORTAL,
  ...VPN,
  ...IPV6_ONLY,
  ...SERVICE,
  ...CERTIFICATES,
  ...HISTORY,
  ...DOUBLED,
];
