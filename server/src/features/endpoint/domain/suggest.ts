import type { Verdict } from '@svc/contracts/endpoint-view';

/** What is known when one thing to try is chosen. */
export interface Situation {
  verdict: Verdict;
  rssiDbm: number | null;
  gatewayAddress: string | null;
  worstTarget: string | null;
}

/** The one thing to try, doable by the reader; null when nothing is slow or nobody can do anything yet. */
export function suggest({ verdict, rssiDbm, gatewayAddress, worstTarget }: Situation): string | null {
  switch (verdict) {
    case 'wifi':
      return rssiDbm !== null && rssiDbm <= -75
        ? `Move closer to the access point or use a cable: at ${Math.round(rssiDbm).toString().replace('-', '\u2212')}\u2009dBm a link is slow however good the network behind it is.`
        : 'Use a cable or another Wi-Fi band: the channel is noisy.';
    case 'local':
      return gatewayAddress === null
        ? 'Restart the router or check its cable: it answers late or loses packets.'
        : `Check the router ${gatewayAddress} and its cable: it answers late or loses packets.`;
    case 'isp':
      return 'Send the path below to the provider: the delay or loss begins at its first hop, behind a healthy local network.';
    case 'network':
      return worstTarget === null
        ? "Ask the service's owner: everything up to the provider is healthy."
        : `Ask who runs ${worstTarget}: everything up to the provider is healthy.`;
    case 'unknown':
      return 'Choose a trace target in the policy: without a path nobody can tell where it is slow.';
    case 'needs_permission':
      return 'Grant the location permission on the device: without it the Wi-Fi cannot be read.';
    case 'update_required':
      return 'Update the agent on the device: this server does not speak its protocol any more.';
    default:
      return null;
  }
}
