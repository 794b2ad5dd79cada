import { definePage } from '../../../ui/page/page.ts';
import { DEVICE_RANGE, decodeDeviceSearch } from './device-search.ts';

export const devicePage = definePage({
  path: '/fleet/$id',
  title: 'Device',
  icon: 'laptop',
  permission: 'agent.read',
  namesWindow: true,
  search: decodeDeviceSearch,
  range: DEVICE_RANGE,
  load: () => import('./device-page.tsx').then((module) => module.DevicePage),
});
