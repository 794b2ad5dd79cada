import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { failureCode } from '../ffi/library.ts';
import { type ObjectiveC, openObjectiveC } from '../ffi/objc.ts';
import { measured, type Reading, unavailable } from '../reading.ts';

/** What macOS permits this program, which guards the network's name with it. The location itself is never asked for. */
export type LocationPermission = 'not_asked' | 'denied' | 'granted';

/** CLAuthorizationStatus of CLLocationManager.h: not determined, restricted, denied, always, when in use. */
const PERMISSIONS: Readonly<Record<number, LocationPermission>> = {
  0: 'not_asked',
  1: 'denied',
  2: 'denied',
  3: 'granted',
  4: 'granted',
};

export interface Location {
  permission(): Reading<LocationPermission>;
  /**
   * Lets macOS ask the person. Only ever called at a click, by the process whose window they see: it has the run loop that the question
   * needs, and it is the one that macOS names. A second question is never shown.
   */
  ask(): void;
}

/** Holds one CLLocationManager, which has to live until the person has answered. */
export function createLocation(libraries: DarwinLibraries = DARWIN_LIBRARIES): Location {
  let manager: bigint | undefined;
  const withManager = <T>(use: (objc: ObjectiveC, manager: bigint) => T): T => {
    const objc = openObjectiveC(libraries.objc, libraries.locationFrameworks);
    return objc.withPool(() => {
      manager ??= objc.object(objc.object(objc.getClass('CLLocationManager'), 'alloc'), 'init');
      return use(objc, manager);
    });
  };
  return {
    permission() {
      try {
        // An int of 32 bits: the upper half of the register is anything.
        const status = withManager((objc, held) => Number(BigInt.asIntN(32, BigInt(objc.integer(held, 'authorizationStatus')))));
        const known = PERMISSIONS[status];
        return known === undefined ? unavailable('not_supported') : measured(known);
      } catch (error) {
        return unavailable(failureCode(error));
      }
    },
    ask: () => withManager((objc, held) => void objc.object(held, 'requestWhenInUseAuthorization')),
  };
}
