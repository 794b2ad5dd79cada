import { join } from 'node:path';
import { root } from '../env.js';

const resources = join(root, 'deploy', 'desktop');

export interface BuilderOptions {
  /** Folder with package.json and app/, and the one with the service. */
  stage: string;
  service: string;
  out: string;
  electronVersion: string;
  /** An unpacked Electron; undefined: electron-builder fetches its own. */
  electronDist: string | undefined;
  /** Without an identity the build fails. */
  isRelease: boolean;
}

/** What Electron can be told for good, in its own binary. */
const FUSES = {
  runAsNode: false,
  enableNodeOptionsEnvironmentVariable: false,
  enableNodeCliInspectArguments: false,
  enableCookieEncryption: true,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
};
/** Fuses that came later than the Electron of the tests. */
const LATER_FUSES = { grantFileProtocolExtraPrivileges: false };
const LATER_SINCE = 29;

const mac = {
  target: ['dmg', 'zip', 'pkg'],
  category: 'public.app-category.utilities',
  hardenedRuntime: true,
  gatekeeperAssess: false,
  entitlements: join(resources, 'entitlements.mac.plist'),
  entitlementsInherit: join(resources, 'entitlements.mac.plist'),
  extendInfo: {
    // It lives in the menu bar, not in the Dock.
    LSUIElement: true,
    NSLocationUsageDescription:
      'macOS tells the name of the Wi-Fi network only to apps that may know the location. No location is read.',
    NSLocationWhenInUseUsageDescription:
      'macOS tells the name of the Wi-Fi network only to apps that may know the location. No location is read.',
    NSLocalNetworkUsageDescription: 'The quality of the connection to your router is measured.',
  },
};

const win = {
  target: ['nsis', 'msi'],
  signtoolOptions: { signingHashAlgorithms: ['sha256'] },
  verifyUpdateCodeSignature: true,
};

const linux = {
  target: ['AppImage', 'deb', 'rpm'],
  category: 'Network',
  executableName: 'network-check',
  maintainer: 'Network Observability Service <maintainers@network-observability.example>',
  vendor: 'Network Observability Service',
  synopsis: 'Says what is slow in this device’s network and why',
};

const autostart = join(root, 'deploy', 'linux', 'network-check-autostart.desktop');
/** A person may switch the start at login off. */
const NAMED = {
  packageName: 'network-check',
  fpm: [`${autostart}=/etc/xdg/autostart/svc-agent.desktop`],
};

/** electron-builder's configuration. The service lies beside the archive: it has native parts, and a Node of its own may run it. */
export function describeBuild(options: BuilderOptions) {
  const { stage, service, out, electronVersion, electronDist, isRelease } = options;
  const icon = join(stage, 'app', 'icons', 'app-1024.png');
  const isLater = Number(electronVersion.split('.')[0]) >= LATER_SINCE;
  return {
    appId: 'org.network-observability.agent',
    productName: 'Network check',
    copyright: 'Network Observability Service, Apache License 2.0',
    // Said although it is the default's place: with a package.json in app/, that would be taken.
    directories: { app: stage, output: out, buildResources: resources },
    files: ['package.json', 'app/**'],
    // electron-builder leaves every node_modules out that is not named.
    extraResources: ['', 'node_modules'].map((part) => ({
      from: join(service, part),
      to: join('service', part),
      filter: ['**/*'],
    })),
    asar: true,
    asarUnpack: ['**/*.node'],
    npmRebuild: false,
    nodeGypRebuild: false,
    electronVersion,
    ...(electronDist === undefined ? {} : { electronDist }),
    electronFuses: { ...FUSES, ...(isLater ? LATER_FUSES : {}) },
    forceCodeSigning: isRelease,
    // electron-updater asks for this file's cache folder; the address is set at run time, from the device's own enrolment.
    publish: { provider: 'generic', url: 'https://releases.invalid' },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills it in
    artifactName: 'network-check-${version}-${os}-${arch}.${ext}',
    mac: { ...mac, icon, notarize: isRelease },
    dmg: { sign: isRelease },
    pkg: { installLocation: '/Applications', isRelocatable: false },
    win: { ...win, icon },
    // One per person, no administrator: it can replace itself. Organisations take the msi.
    nsis: { oneClick: true, perMachine: false, deleteAppDataOnUninstall: false },
    msi: { perMachine: true, oneClick: true, runAfterFinish: false },
    linux: { ...linux, icon },
    deb: { ...NAMED, packageCategory: 'net', priority: 'optional' },
    rpm: NAMED,
  };
}
