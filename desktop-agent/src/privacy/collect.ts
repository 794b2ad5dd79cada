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

/** Labels that whoever set this device up gave it; each leaves only with its switch. The device decides alone: no policy knows them. */
export interface Labels {
  site: string | undefined;
  ownerEmail: string | undefined;
}
export type LabelSwitches = Readonly<Record<keyof Labels, boolean>>;
export const LABEL_KEYS = ['site', 'ownerEmail'] as const satisfies readonly (keyof Labels)[];
export const NO_LABELS: Readonly<Labels> = { site: undefined, ownerEmail: undefined };

/** The labels that may leave this device. */
export const labelsToSend = (labels: Readonly<Labels>, switches: LabelSwitches): Labels => ({
  site: switches.site ? labels.site : undefined,
  ownerEmail: switches.ownerEmail ? labels.ownerEmail : undefined,
});

/** The strictest of both: whatever one side switched off stays off, so the server can never switch on what the device did not. */
export const strictest = (device: Readonly<Collect>, policy: Readonly<Collect>): Collect => ({
  ssid: device.ssid && policy.ssid,
  gatewayIp: device.gatewayIp && policy.gatewayIp,
  deviceName: device.deviceName && policy.deviceName,
  hostFacts: device.hostFacts && policy.hostFacts,
  publicHops: device.publicHops && policy.publicHops,
});
