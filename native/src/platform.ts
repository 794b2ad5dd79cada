/** Picks the adapter of this system; one without an adapter gets the one that says "not built". */
export function pickAdapter<T>(adapters: { linux: T; darwin: T; win32: T }): T {
  if (process.platform === 'linux') return adapters.linux;
  return process.platform === 'win32' ? adapters.win32 : adapters.darwin;
}
