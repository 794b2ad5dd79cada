import { LIKELY, SURE } from './confidence.ts';
import { APP, begun, CRM, lasting, MAIL, type Situation } from './situation.ts';

const network = (kind: 'certificate', actor: 'person' | 'it' | 'service'): Situation['expected'] => ({
  cause: 'network',
  kind,
  confidence: SURE,
  actor,
});

/** Certificates that a device refuses. */
export const CERTIFICATES: readonly Situation[] = [
  {
    name: 'certificate-expired',
    truth: 'The certificate of the service expired two days ago.',
    hurts: true,
    expected: network('certificate', 'service'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'expired' })),
  },
  {
    name: 'certificate-other-name',
    truth: 'The certificate of the service is for another name.',
    hurts: true,
    expected: network('certificate', 'service'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'other_name' })),
  },
  {
    name: 'certificate-unknown-authority',
    truth: 'The certificate of the service is of an authority that the device does not know.',
    hurts: true,
    expected: network('certificate', 'it'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'unknown_authority' })),
  },
  {
    name: 'certificate-not-yet-valid',
    truth: 'The certificate of the service is valid from the day after tomorrow: by this device’s clock.',
    hurts: true,
    expected: network('certificate', 'person'),
    play: lasting(({ lab }) => lab.setServer({ certificate: 'not_yet_valid' })),
  },
  {
    name: 'certificate-one-of-three',
    truth: 'The certificate of one of three services expired.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: network('certificate', 'service'),
    play: begun(({ lab }) => lab.setServer({ sites: { 'crm.lab.test': { certificate: 'expired' } } })),
  },
  {
    name: 'certificate-of-one-path-of-all',
    truth:
      'Behind the edge a stretch takes 500 ms, and all three services are slow for it; the certificate of one expired besides.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: { cause: 'network', kind: 'path_delay', also: 'certificate', confidence: LIKELY, actor: 'provider' },
    play: lasting(async ({ lab }) => {
      await lab.setLink(2, { delayMs: 250 });
      await lab.setServer({ sites: { 'crm.lab.test': { certificate: 'expired' } } });
    }),
  },
  {
    name: 'certificate-of-one-names-of-all',
    truth: 'Names take 1.9 s for each of three services; the certificate of one expired besides.',
    hurts: true,
    device: { sessionTargets: [APP, CRM, MAIL] },
    expected: { cause: 'network', kind: 'dns_slow', also: 'certificate', confidence: LIKELY, actor: 'it' },
    play: lasting(({ lab }) => lab.setServer({ dns: { delayMs: 1900 }, sites: { 'crm.lab.test': { certificate: 'expired' } } })),
  },
];
