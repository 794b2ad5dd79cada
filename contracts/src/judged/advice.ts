import type { FaultKind } from '../fault-kinds.ts';
import { CAUSES, type Cause } from '../verdict.ts';
import { createVerdictWords, remedyWords } from '../words/verdict-words.ts';
import type { FaultFact } from './fault.ts';
import type { JudgedMeasure } from './measures.ts';
import { measureWords } from './sentence.ts';

export const ADVICE_CODES = [
  'move_closer',
  'use_cable',
  'check_access_points',
  'check_gateway',
  'ask_provider',
  'ask_service',
  'choose_trace_target',
  'leave_tunnel',
  'grant_permission',
  'update_agent',
  'change_channel',
  'pause_uploads',
  'check_name_server',
  'sign_in_to_network',
  'mend_certificate',
  'check_proxy',
  'lower_packet_size',
  'check_site_network',
  'mend_ipv6',
  'wait',
] as const;
export type AdviceCode = (typeof ADVICE_CODES)[number];

/** What several devices of one place have in common: so many of those there are slow for one cause. */
export interface SharedPlace {
  affected: number;
  of: number;
  /** Site as it was labelled, such as a floor. */
  site: string;
  gateway: string | null;
  /** When the first of them became slow, an instant. */
  since: string | null;
}

/** The one thing to try, in codes and figures. */
export interface Advice {
  code: AdviceCode;
  cause: Cause | null;
  /** The measure that decided. */
  measure: JudgedMeasure | null;
  /** What is wrong within the cause; null where the device does not say. */
  fault: FaultFact | null;
  gateway: string | null;
  /** The service that is waited for. */
  target: string | null;
  /** Set where the cause is shared: then it is for whoever runs the place, and no single device is to be moved. */
  shared: SharedPlace | null;
}

/** What is known when one thing to try is chosen. */
export interface Situation {
  verdict: string;
  decided: JudgedMeasure | null;
  fault: FaultFact | null;
  gateway: string | null;
  target: string | null;
  shared: SharedPlace | null;
  /** Why the path could not be seen: a code of UNAVAILABLE_CODES. */
  pathUnavailable: string | null;
}

const CODE_OF: Readonly<Record<FaultKind, AdviceCode>> = {
  wifi_signal: 'move_closer',
  wifi_noise: 'use_cable',
  wifi_airtime: 'change_channel',
  gateway_unreachable: 'check_gateway',
  gateway_loss: 'check_gateway',
  gateway_delay: 'check_gateway',
  isp_loss: 'ask_provider',
  isp_delay: 'ask_provider',
  queueing: 'pause_uploads',
  dns_slow: 'check_name_server',
  dns_failing: 'check_name_server',
  dns_lying: 'check_name_server',
  captive_portal: 'sign_in_to_network',
  certificate: 'mend_certificate',
  proxy: 'check_proxy',
  service_error: 'ask_service',
  service_unreachable: 'ask_service',
  service_slow: 'ask_service',
  path_loss: 'ask_provider',
  path_delay: 'ask_provider',
  mtu: 'lower_packet_size',
  vpn: 'leave_tunnel',
  lan_loss: 'check_site_network',
  lan_delay: 'check_site_network',
  distance: 'wait',
  ipv6_broken: 'mend_ipv6',
};

function codeOf({ verdict, decided, fault, shared, pathUnavailable }: Situation): AdviceCode | null {
  const isCause = CAUSES.some((one) => one === verdict);
  if (isCause && fault !== null && !(verdict === 'wifi' && shared)) return CODE_OF[fault.kind];
  switch (verdict) {
    case 'wifi':
      if (shared) return 'check_access_points';
      return decided?.measure === 'wifi_snr_db' ? 'use_cable' : 'move_closer';
    case 'local':
      return 'check_gateway';
    case 'isp':
      return 'ask_provider';
    case 'network':
      return 'ask_service';
    case 'unknown':
      return pathUnavailable === 'tunnel' ? 'leave_tunnel' : 'choose_trace_target';
    case 'needs_permission':
      return 'grant_permission';
    case 'update_required':
      return 'update_agent';
    default:
      return null;
  }
}

/** The advice that follows from the cause, and from who else has it; null when nothing is slow or nobody can do anything yet. */
export function chooseAdvice(situation: Situation): Advice | null {
  const code = codeOf(situation);
  if (code === null) return null;
  const { decided, fault, gateway, target, shared } = situation;
  const cause = CAUSES.find((one) => one === situation.verdict) ?? null;
  return { code, cause, measure: decided, fault, gateway, target: decided?.target ?? target, shared };
}

const ENGLISH = createVerdictWords('en');

const SHARED_CAUSES: Readonly<Partial<Record<Cause, string>>> = {
  wifi: 'Wi-Fi',
  local: 'the local network',
  isp: 'the ISP',
  network: 'something beyond the ISP',
};

/** "9 of 14 devices at Lisbon, floor 3 are slow because of Wi-Fi" */
export function sharedWords({ affected, of, site, gateway }: SharedPlace, cause: Cause | null): string {
  const who = affected === of ? `All ${of} devices` : `${affected} of ${of} devices`;
  const behind = gateway === null ? '' : ` behind gateway ${gateway}`;
  return `${who} at ${site}${behind} are slow because of ${(cause && SHARED_CAUSES[cause]) ?? 'one cause'}`;
}

function sharedAdvice({ code, cause, fault, gateway, target }: Advice, shared: SharedPlace): string {
  const lead = sharedWords(shared, cause);
  if (code === 'check_access_points')
    return `${lead}. Check the access points there (power, channel, firmware): moving one device will not help the others.`;
  if (code === 'check_gateway')
    return `${lead}. Check ${gateway === null ? 'the router there' : `the router ${gateway}`} and its uplink: the devices are not at fault.`;
  if (code === 'ask_provider') return `${lead}. Open one ticket with the provider for the whole site, with the path below.`;
  if (fault && code !== 'ask_service') return `${lead}. ${remedyWords(ENGLISH, fault)}`;
  return `${lead}. Ask ${target === null ? "the service's owner" : `who runs ${target}`} once for all of them: everything up to the provider is healthy.`;
}

/** The advice in English, without clock times: the same for readers of any zone. */
export function adviceWords(advice: Advice): string {
  const { code, measure, gateway, target, shared } = advice;
  if (shared) return sharedAdvice(advice, shared);
  if (advice.fault) return remedyWords(ENGLISH, advice.fault);
  switch (code) {
    case 'check_access_points':
    case 'move_closer': {
      const lead = 'Move closer to the access point or use a cable';
      return measure === null
        ? `${lead}.`
        : `${lead}: at ${measureWords(measure)} a link is slow however good the network behind it is.`;
    }
    case 'use_cable':
      return 'Use a cable or another Wi-Fi band: the channel is noisy.';
    case 'check_gateway':
      return gateway === null
        ? 'Restart the router or check its cable: it answers late or loses packets.'
        : `Check the router ${gateway} and its cable: it answers late or loses packets.`;
    case 'ask_provider':
      return 'Send the path below to the provider: the delay or loss begins at its first hop, behind a healthy local network.';
    case 'ask_service':
      return target === null
        ? "Ask the service's owner: everything up to the provider is healthy."
        : `Ask who runs ${target}: everything up to the provider is healthy.`;
    case 'choose_trace_target':
      return 'Choose a trace target in the policy: without a path nobody can tell where it is slow.';
    case 'leave_tunnel':
      return 'Measure again outside the VPN: a tunnel hides the path, so nobody can tell where it is slow.';
    case 'grant_permission':
      return 'Grant the location permission on the device: without it the Wi-Fi cannot be read.';
    case 'update_agent':
      return 'Update the agent on the device: this server does not speak its protocol any more.';
    // Codes that come with a fault only, whose words are above.
    default:
      return '';
  }
}
