/** A system that packages are made for. */
export interface Target {
  platform: 'linux' | 'darwin' | 'win32';
  arch: 'x64' | 'arm64';
}

/** The words of Debian and RPM for an architecture; nfpm turns Debian's into the other. */
export const DEBIAN_ARCH: Readonly<Record<Target['arch'], string>> = { x64: 'amd64', arm64: 'arm64' };

/** The package that holds koffi's native part. */
export const koffiPackage = ({ platform, arch }: Target): string => `@koromix/koffi-${platform}-${arch}`;
