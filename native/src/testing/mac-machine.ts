import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { openLibrary } from '../ffi/library.ts';

/** Why macOS' stand-ins cannot be built here, or undefined where they can. Tests skip and print it. */
export function macMissing(): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the stand-ins are written for x64 Linux';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'cc is missing (apt packages gcc and libc6-dev)';
  }
}

/** Stand-ins of macOS' libraries, built from the C sources beside this file. The owner removes them. */
export interface MacMachine {
  readonly libraries: DarwinLibraries;
  /** How the network, the radio and the power supply behave from now on. */
  set: (behaviour: { readonly system?: string; readonly wifi?: string; readonly power?: string; readonly dns?: string }) => void;
  /** Hands a message to the routing socket that was opened last. */
  announce: (message: Buffer) => void;
  count: () => { readonly sockets: number; readonly pools: number; readonly powerInfos: number };
  remove: () => void;
}

export function buildMac(): MacMachine {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mac-'));
  const build = (name: string): string => {
    const target = join(folder, `${name}.so`);
    const source = fileURLToPath(new URL(`${name}.c`, import.meta.url));
    execFileSync('cc', ['-O1', '-Wall', '-Wno-nonnull-compare', '-shared', '-fPIC', '-o', target, source]);
    return target;
  };
  const [system, objc, power] = ['fake-system', 'fake-objc', 'fake-power'].map(build) as [string, string, string];
  const setter = (library: string, name: string) =>
    openLibrary(library).bind<(how: string) => void>(name, { returns: 'void', takes: ['str'] });
  const counter = (library: string, name: string) => openLibrary(library).bind<() => number>(name, { returns: 'int', takes: [] });
  const [setSystem, setWifi, setPower, setConfiguration] = [
    setter(system, 'fake_behave'),
    setter(objc, 'fake_behave'),
    setter(power, 'fake_power'),
    setter(power, 'fake_configuration'),
  ] as const;
  const [sockets, pools, infos] = [
    counter(system, 'fake_open_sockets'),
    counter(objc, 'fake_open_pools'),
    counter(power, 'fake_held'),
  ];
  const announce = openLibrary(system).bind<(bytes: Buffer, length: number) => void>('fake_announce', {
    returns: 'void',
    takes: ['void *', 'size_t'],
  });
  return {
    announce: (message) => announce(message, message.length),
    libraries: {
      system,
      objc,
      wifiFrameworks: [],
      locationFrameworks: [],
      power,
      coreFoundation: power,
      systemConfiguration: power,
    },
    set({ system: how = '', wifi = '', power: word = 'AC Power', dns = '' }) {
      setSystem(how);
      setWifi(wifi);
      setPower(word);
      setConfiguration(dns);
    },
    count: () => ({ sockets: sockets(), pools: pools(), powerInfos: infos() }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
