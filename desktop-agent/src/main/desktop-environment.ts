import { readEnvironment } from '../env.ts';

/** What the desktop says in the environment; the agent's own keys are read by config.ts. */
export interface DesktopEnvironment {
  all: Record<string, string | undefined>;
  /** Address of the session's D-Bus. */
  bus: string | undefined;
  runtimeDir: string | undefined;
  /** Names of the desktop, such as `ubuntu:GNOME`. */
  desktop: string;
  /** The AppImage that this program was started from. */
  appImage: string | undefined;
  /** A Node for the service where Electron's own is too old, as it is in the tests. */
  node: string;
}

export function readDesktopEnvironment(): DesktopEnvironment {
  const all = readEnvironment();
  return {
    all,
    bus: all.DBUS_SESSION_BUS_ADDRESS,
    runtimeDir: all.XDG_RUNTIME_DIR,
    desktop: all.XDG_CURRENT_DESKTOP ?? '',
    appImage: all.APPIMAGE,
    node: all.SVC_TEST_NODE ?? 'node',
  };
}
