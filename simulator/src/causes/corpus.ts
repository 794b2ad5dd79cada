import { createRandom, hashOf } from '../domain/random.ts';
import { badDeploy, clientRelease, decoyConfig, dependencyDeploy } from './families/deploys.ts';
import { type Family, makeScenario } from './families/family.ts';
import { certificateChange, certificateExpiry, dnsChange, dnsOutage } from './families/names.ts';
import { ispOutage, networkChange, placeOutage, wifiFloor } from './families/networks.ts';
import { dependencyFault, providerFault, slowDatabase, trafficPeak } from './families/services.ts';
import { twoFaults } from './families/several.ts';
import { blindFault, changeStorm, edgeFault, oldChange, ownFault } from './families/untold.ts';
import type { Scenario } from './scenario.ts';

export const FAMILIES: readonly Family[] = [
  ...[badDeploy, dependencyDeploy, decoyConfig, clientRelease],
  ...[dnsChange, certificateChange, networkChange],
  ...[ispOutage, placeOutage, wifiFloor],
  ...[certificateExpiry, dnsOutage],
  ...[slowDatabase, providerFault, dependencyFault, trafficPeak],
  twoFaults,
  ...[ownFault, blindFault, oldChange, changeStorm, edgeFault],
];

/** All scenarios of a seed: the same for the same seed, and others with other names, times and sizes for another one. */
export const scenariosOf = (seed: number): Scenario[] =>
  FAMILIES.flatMap((family) =>
    Array.from({ length: family.count }, (_, place) => {
      const own = hashOf('scenario', seed, family.name, place);
      return makeScenario(family, { random: createRandom(own), place, seed: own });
    }),
  );
