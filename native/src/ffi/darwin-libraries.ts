/** Where macOS keeps what the adapters call; tests put stand-ins in their place. Loading a framework registers its classes. */
export interface DarwinLibraries {
  readonly system: string;
  readonly objc: string;
  readonly wifiFrameworks: readonly string[];
  readonly locationFrameworks: readonly string[];
  readonly power: string;
  readonly coreFoundation: string;
  readonly systemConfiguration: string;
}

const framework = (name: string): string => `/System/Library/Frameworks/${name}.framework/${name}`;

export const DARWIN_LIBRARIES: DarwinLibraries = {
  system: '/usr/lib/libSystem.B.dylib',
  objc: '/usr/lib/libobjc.A.dylib',
  wifiFrameworks: [framework('Foundation'), framework('CoreWLAN')],
  locationFrameworks: [framework('Foundation'), framework('CoreLocation')],
  power: framework('IOKit'),
  coreFoundation: framework('CoreFoundation'),
  systemConfiguration: framework('SystemConfiguration'),
};
