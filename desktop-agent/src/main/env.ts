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

export const readDesktopEnvironment = (): DesktopEnvironment => ({
  all: process.env,
  bus: process.env.DBUS_SESSION_BUS_ADDRESS,
  runtimeDir: process.env.XDG_RUNTIME_DIR,
  desktop: process.env.XDG_CURRENT_DESKTOP ?? '',
  appImage: process.env.APPIMAGE,
  node: process.env.SVC_TEST_NODE ?? 'node',
});
