import type { Message } from '../message.ts';

/**
 * What is wrong, and the one thing to try, the same for the person at the device and for IT. `{since}` brings its own preposition and
 * its own space, and is empty where nobody knows.
 */
export const verdictMessages = {
  'fault.wifi_signal': 'Signal near {value}{since}, too weak for a fast connection.',
  'fault.wifi_noise': 'The signal is only {value} above the noise{since}.',
  'fault.wifi_airtime.busy': 'The channel has been busy {value} of the time{since}.',
  'fault.wifi_airtime.retries': 'On a crowded channel {value} of all frames had to be sent again{since}.',
  'fault.gateway_unreachable': 'The gateway has not answered{since}.',
  'fault.gateway_loss': 'The gateway lost {lost} of {sent} probes ({value}){since}.',
  'fault.gateway_delay': 'The gateway has been taking {value} to answer{since}.',
  'fault.isp_loss': 'Its first router and those behind it lost {lost} of {sent} probes ({value}){since}.',
  'fault.isp_delay': 'Its first router has been taking {value} to answer{since}.',
  'fault.queueing':
    'Answers have been taking {value}{since}, against {usual} on a quiet line: the line is full, and everything waits.',
  'fault.dns_slow': 'Looking up the name of {target} has been taking {value}{since}; the rest is quick.',
  'fault.dns_failing': 'The name of {target} has not been found{since} ({code}).',
  'fault.dns_lying': 'The DNS server has given wrong answers{since}, also for {target}.',
  'fault.captive_portal': 'This network has asked for a sign-in{since}, and lets nothing through until then.',
  'fault.certificate.expired': 'The certificate of {target} has expired.',
  'fault.certificate.not_yet_valid': 'The certificate of {target} is not valid yet by the clock of this device.',
  'fault.certificate.authority': 'This device does not know who issued the certificate of {target}.',
  'fault.certificate.name': 'The certificate that {target} shows is for another name.',
  'fault.certificate.other': 'The certificate of {target} has been refused{since} ({code}).',
  'fault.proxy': 'The proxy has let nothing through to {target}{since} ({code}).',
  'fault.service_error': '{target} has answered with an error{since} ({code}).',
  'fault.service_unreachable': '{target} has accepted no connection{since} ({code}).',
  'fault.service_slow': '{target} has been taking {value} to answer{since}.',
  'fault.path_loss': 'From hop {hop} of {hops} on, behind the provider’s edge, {value} of packets have been lost{since}.',
  'fault.path_delay': 'From hop {hop} of {hops} on, behind the provider’s edge, answers have been taking {value}{since}.',
  'fault.lan_loss':
    'From hop {hop} of {hops} on, still in the private network behind the gateway, {value} of packets have been lost{since}.',
  'fault.lan_delay':
    'From hop {hop} of {hops} on, still in the private network behind the gateway, answers have been taking {value}{since}.',
  'fault.distance': '{target} is far away: each answer takes {value}, as on other days, and nothing is lost.',
  'fault.ipv6_broken': 'IPv6 has not worked here{since}: each connection waits {value} before it goes over IPv4.',
  'fault.mtu': 'Large packets have not reached {target}{since}, small ones do.',
  'fault.vpn': '{target} has been slow or out of reach inside the VPN{since}.',
  'lead.queueing': 'The line is full',
  'lead.captive_portal': 'Sign-in needed',
  'lead.certificate': 'Certificate refused',
  'lead.dns_slow': 'Slow because of name look-ups',
  'lead.dns_failing': 'A name is not found',
  'lead.dns_lying': 'Wrong DNS answers',
  'lead.proxy': 'Blocked at the proxy',
  'lead.service_error': 'A service answers with an error',
  'lead.service_unreachable': 'A service cannot be reached',
  'lead.ipv6_broken': 'IPv6 does not work here',
  'lead.vpn': 'Slow inside the VPN',
  'try.wifi_signal': 'Move a few metres towards the access point, or plug in a cable: walls and distance weaken the signal.',
  'try.wifi_noise':
    'Choose the 5 GHz network if there is one, or plug in a cable: other radio devices nearby interfere with the signal.',
  'try.wifi_airtime':
    'Choose the 5 GHz or 6 GHz network if there is one, or plug in a cable. Whoever runs the access point can give it a quieter channel.',
  'try.gateway_unreachable':
    'At home, switch the router off and on again. At work, tell the helpdesk: nothing gets past the gateway.',
  'try.gateway_loss': 'Plug in a cable, or a different one: data is lost between the device and the gateway.',
  'try.gateway_delay': 'Restart the router, or plug in a cable: the gateway answers late although nothing before it is slow.',
  'try.isp_loss': 'Send the path to the provider: data is lost from their first router on. Moving or restarting will not help.',
  'try.isp_delay': 'Send the path to the provider: the delay begins at their first router. Moving or restarting will not help.',
  'try.queueing': 'Pause large uploads, backups and updates on this line, then test again: a full line makes everything wait.',
  'try.dns_slow':
    'At home, restart the router. At work, ask IT to check the DNS server: once a name is found, connections are quick.',
  'try.dns_failing':
    'At home, restart the router. At work, tell the helpdesk that the DNS server is failing: without it no service is found.',
  'try.dns_lying':
    'Enter no password until this is explained. Tell IT which network this is: something there changes the answers.',
  'try.captive_portal': 'Open a browser and sign in to this network.',
  'try.certificate.expired': 'Do not bypass the warning. Whoever runs {target} has to renew its certificate.',
  'try.certificate.not_yet_valid': 'Check the date and time of the device: by its clock the certificate is not valid yet.',
  'try.certificate.authority':
    'Do not bypass the warning. Ask IT whether the certificate of their TLS inspection has to be installed on the device.',
  'try.certificate.name': 'Do not bypass the warning. Whoever runs {target} has to install the right certificate.',
  'try.certificate.other': 'Do not bypass the warning. Give whoever runs {target} the code.',
  'try.proxy': 'Ask IT to check the proxy and what it allows: the way to the proxy itself is fine.',
  'try.service_error': 'Tell whoever runs {target}: it can be reached, and answers with an error. The network is not the reason.',
  'try.service_unreachable': 'Tell whoever runs {target}: it accepts no connection.',
  'try.service_slow': 'Tell whoever runs {target}: as far as measured, the path there is clear and the service itself is slow.',
  'try.path_loss': 'Send the path to the provider: the loss begins behind their edge, where only they can have it fixed.',
  'try.path_delay': 'Send the path to the provider: the delay begins behind their edge, where only they can have it fixed.',
  'try.lan_loss':
    'At work, give IT the path: the loss begins in the company’s own network, not at the provider. At home, restart the router behind yours.',
  'try.lan_delay':
    'At work, give IT the path: the delay begins in the company’s own network, not at the provider. At home, restart the router behind yours.',
  'try.distance': 'There is nothing to fix: the distance takes this time. A site of the service nearer to you would be quicker.',
  'try.ipv6_broken': 'Ask IT, or at home the provider, to fix IPv6 or to switch it off: everything works over IPv4, only later.',
  'try.mtu': 'Ask IT to lower the packet size (MTU) of the VPN or router: large packets are lost on the way without an error.',
  'try.vpn': 'Test again without the VPN if you are allowed to, and tell IT which VPN gateway it was.',
  'actor.person': 'Whoever uses the device can do this.',
  'actor.it': 'This is for IT.',
  'actor.provider': 'This is for the provider.',
  'actor.service': 'This is for whoever runs the service.',
  'actor.nobody': 'Nobody can do anything but wait.',
  also: 'Apart from that: {fault}',
  'notice.title': 'Nothing you use is slow',
  'measuring.title': 'Measuring',
  'measuring.detail': 'Nothing slow so far: {n} of {of} layers have been measured since this began.',
  'measuring.unseen': 'The way there is still being measured.',
  'partial.title': 'Nothing slow, as far as measured',
  'partial.detail': {
    one: 'Nothing is slow in the one of {of} layers that was measured here.',
    other: 'Nothing is slow in the {n} of {of} layers that were measured here.',
  },
  flips: { one: 'It came or went once in the last hour.', other: 'It came and went, {n} changes in the last hour.' },
} as const satisfies Record<string, Message>;

export type VerdictMessages = typeof verdictMessages;
