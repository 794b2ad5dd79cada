import { configKey, isHost, parseList, parseNetwork, parseText } from '#kernel';

const parseTarget = (text: string): string => (isHost(text) ? text.toLowerCase() : parseNetwork(text));

/** Of the machine that runs tests: the server with its built-in runner, and one that runs `svc canary`. */
export const runnerKeys = {
  canaryStateDir: configKey({
    key: 'SVC_CANARY_STATE_DIR',
    parse: parseText(4096),
    defaultText: 'canary in SVC_DATA_DIR',
    doc: 'Folder of `svc canary`: its key, its certificate, and what it measured and could not send yet. Made with mode 0700; one runner a folder.',
  }),
  targetsAllow: configKey({
    key: 'SVC_TARGETS_ALLOW',
    parse: parseList(parseTarget),
    fallback: [],
    defaultText: 'none',
    doc: 'Addresses, networks and host names that synthetic tests run by this machine may reach although they are refused otherwise: loopback, link-local and cloud metadata addresses, those of this host, of its stores and of what else belongs to the service.',
  }),
  chromium: configKey({
    key: 'SVC_CHROMIUM',
    parse: parseText(1024),
    defaultText: 'where distributions have it, `/usr/bin/chromium` first',
    doc: 'Path of the Chromium that browser tests run in on this machine, the server or one of `svc canary run`. Without one, tests of that type are told as not running.',
  }),
};
