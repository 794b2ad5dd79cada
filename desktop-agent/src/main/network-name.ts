import { join } from 'node:path';
import type { Location } from '@svc/native/location/core-location';

/** The permission with which macOS guards the network's name; nothing of it elsewhere. */
export interface NetworkName {
  /** Nobody was asked for it yet. */
  mayAsk(): boolean;
  ask(): void;
}

/**
 * Loads the native part from beside the service at the first question: the archive of this program holds nothing that runs natively.
 * `load` gives that file's exports.
 */
export function createNetworkName(platform: string, folder: string, load: (file: string) => unknown): NetworkName {
  if (platform !== 'darwin') return { mayAsk: () => false, ask: () => undefined };
  let location: Location | null | undefined;
  const open = (): Location | null => {
    try {
      const { createLocation } = load(join(folder, 'location.cjs')) as { createLocation(): Location };
      return createLocation();
    } catch {
      // An older service, or one without its native part: then there is no name to show.
      return null;
    }
  };
  const held = (): Location | null => {
    location ??= open();
    return location;
  };
  return {
    mayAsk() {
      const permission = held()?.permission();
      return permission !== undefined && 'value' in permission && permission.value === 'not_asked';
    },
    ask: () => held()?.ask(),
  };
}
