import { type Device, type FaultKind, TRUE_CAUSE } from '@svc/simulator/domain/device';
import { planFleet } from '@svc/simulator/domain/plan-fleet';
import { DEVICES } from '../stack/demo.ts';

/** What `npm run demo` takes unless it is told another one. */
const SEED = 1;

const fleet: readonly Device[] = planFleet(DEVICES, SEED);

/** Devices that the simulator makes slow at a site, by name. */
export const slowDevicesAt = (site: string): string[] =>
  fleet
    .filter((device) => device.site === site && device.fault)
    .map(({ name }) => name)
    .sort();

export const causeOf = ({ fault }: Device): string => (fault ? TRUE_CAUSE[fault.kind] : 'none');

const find = (is: (device: Device) => boolean): Device => {
  const found = fleet.find(is);
  if (!found) throw new Error('The demo has no such device.');
  return found;
};

export const deviceWith = (kind: FaultKind): Device => find(({ fault }) => fault?.kind === kind);
/** Its system does not tell its agent of the Wi-Fi. */
export const deviceWithoutLocation = (): Device => find(({ withoutLocation }) => withoutLocation);
