import { AppName } from '@svc/contracts/rum/apps';
import { configKey, parseBoolean, parseInteger, parseList, parseTenantId, type TenantId } from '#kernel';

export interface ConfiguredApp {
  key: string;
  tenant: TenantId;
  app: string;
}

/** The last "=" divides: a key may end in some. */
function parseApp(text: string): ConfiguredApp {
  const at = text.lastIndexOf('=');
  const [key, owner] = [text.slice(0, at), text.slice(at + 1)];
  const slash = owner.indexOf('/');
  if (at < 1 || slash < 1 || !/^[\x21-\x7e]{1,128}$/.test(key)) throw new Error('must be <app_key>=<tenant>/<app>');
  const app = AppName.safeParse(owner.slice(slash + 1));
  if (!app.success) throw new Error(`has an app that ${app.error.issues[0]?.message ?? 'is not valid'}`);
  return { key, tenant: parseTenantId(owner.slice(0, slash)), app: app.data };
}

function parseApps(text: string): readonly ConfiguredApp[] {
  const apps = parseList(parseApp)(text);
  if (new Set(apps.map(({ key }) => key)).size < apps.length) throw new Error('gives one key to two apps');
  return apps;
}

/** Real users (docs/contract/rum.md). */
export const rumKeys = {
  enabled: configKey({
    key: 'SVC_RUM_ENABLED',
    parse: parseBoolean,
    defaultText: 'unset; beacons are taken as soon as an app is registered',
    doc: 'Whether beacons of real users are taken: `false` shuts it, `true` demands that there is an app.',
  }),
  apps: configKey({
    key: 'SVC_RUM_APPS',
    parse: parseApps,
    fallback: [] as readonly ConfiguredApp[],
    defaultText: 'unset',
    doc: 'Apps that may send beacons: <app_key>=<tenant>/<app>, comma-separated; more of them are registered in the console.',
  }),
  ratePerMin: configKey({
    key: 'SVC_RUM_RATE_PER_MIN',
    parse: parseInteger(0, 1_000_000),
    fallback: 300,
    defaultText: '300',
    doc: 'Beacons a minute that one key may send, where its app says nothing else; 0 disables.',
  }),
};
