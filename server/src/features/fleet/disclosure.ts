import type { Policy } from '@svc/contracts/policy';
import type { Disclosure } from './api.ts';

const NEVER = [
  'No BSSID: the address of the access point is never read into a result.',
  'No page, address or content that a person opens: only the session targets below are measured.',
  'No traffic of a person is looked at; the agent measures with packets of its own.',
  'No location.',
];

/** What agents of a tenant collect, in sentences for the people who use the devices; a device may withhold more. */
export function describeCollection(policy: Policy): Disclosure {
  const { collect } = policy;
  const collected: Disclosure['collected'] = [
    {
      what: collect.ssid
        ? 'Wi-Fi signal, noise, link rate, band, channel and the network name'
        : 'Wi-Fi signal, noise, link rate, band and channel',
      why: 'Tells a weak or noisy Wi-Fi from a slow line.',
      every_seconds: policy.wifiIntervalSeconds,
    },
    {
      what: collect.gatewayIp
        ? 'Answer time and loss of the default gateway, and its private address'
        : 'Answer time and loss of the default gateway',
      why: 'Tells whether the local network is slow, and which devices share it.',
      every_seconds: policy.gatewayIntervalSeconds,
    },
    {
      what: 'Answer time of the configured DNS resolvers',
      why: 'Names are looked up before every connection.',
      every_seconds: policy.gatewayIntervalSeconds,
    },
  ];
  if (policy.traceTargets.length > 0) {
    collected.push({
      what: collect.publicHops
        ? 'Each hop towards the trace targets, with public addresses'
        : 'Each hop towards the trace targets; public addresses are left out',
      why: 'Tells a slow provider from a slow service.',
      every_seconds: policy.pathIntervalSeconds,
    });
  }
  collected.push({
    what: 'DNS, connect, TLS and first-byte times of the session targets and of this server',
    why: 'Shows what a person waits for.',
    every_seconds: policy.sessionIntervalSeconds,
  });
  if (collect.deviceName)
    collected.push({ what: "The device's name", why: 'So that IT can find the device.', every_seconds: null });
  if (collect.hostFacts) {
    collected.push({
      what: 'Operating system, its version, model and architecture',
      why: 'To compare like with like.',
      every_seconds: null,
    });
  }
  const withheld: [boolean, string][] = [
    [collect.ssid, 'The Wi-Fi network name'],
    [collect.gatewayIp, "The gateway's address"],
    [collect.deviceName, "The device's name"],
    [collect.hostFacts, 'Operating system and model'],
    [collect.publicHops, 'Public addresses on the path'],
  ];
  return {
    collected,
    never: NEVER,
    withheld: withheld.filter(([taken]) => !taken).map(([, what]) => what),
    contacted: [
      ...policy.traceTargets.map((target) => ({ target, why: 'trace target' })),
      ...policy.sessionTargets.map((target) => ({ target, why: 'session target' })),
    ],
    policy_version: policy.version,
  };
}
