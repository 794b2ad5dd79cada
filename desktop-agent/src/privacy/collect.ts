/** What identifiers may leave the device. `Collect` of contracts/policy, without its schema. */
export interface Collect {
  ssid: boolean;
  gatewayIp: boolean;
  deviceName: boolean;
  hostFacts: boolean;
  publicHops: boolean;
}

export const COLLECT_KEYS = [
  'ssid',
  'gatewayIp',
  'deviceName',
  'hostFacts',
  'publicHops',
] as const satisfies readonly (keyof Collect)[];

export const COLLECT_DEFAULTS: Readonly<Collect> = {
  ssid: true,
  gatewayIp: true,
  deviceName: true,
  hostFacts: true,
  publicHops: false,
};
export const COLLECT_NOTHING: Readonly<Collect> = {
  ssid: false,
  gatewayIp: false,
  deviceName: false,
  hostFacts: false,
  publicHops: false,
};

/** The strictest of both: whatever one side switched off stays off, so the server can never switch on what the device did not. */
export const strictest = (device: Readonly<Collect>, policy: Readonly<Collect>): Collect => ({
  ssid: device.ssid && policy.ssid,
  gatewayIp: device.gatewayIp && policy.gatewayIp,
  deviceName: device.deviceName && policy.deviceName,
  hostFacts: device.hostFacts && policy.hostFacts,
  publicHops: device.publicHops && policy.publicHops,
});
