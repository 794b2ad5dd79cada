/** Picks the adapter of this system. Others get macOS', whose libraries they lack: each reading then says that it is not supported. */
export function pickAdapter<T>(adapters: { linux: T; darwin: T; win32: T }): T {
  if (process.platform === 'linux') return adapters.linux;
  return process.platform === 'win32' ? adapters.win32 : adapters.darwin;
}
