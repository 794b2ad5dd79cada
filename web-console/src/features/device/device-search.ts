export interface DeviceSearch {
  from?: number | undefined;
  to?: number | undefined;
}
export function decodeDeviceSearch(_raw: Record<string, unknown>): DeviceSearch {
  return {};
}
