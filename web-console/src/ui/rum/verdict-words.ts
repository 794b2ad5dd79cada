import type { RumVerdict } from '@svc/contracts/rum/kinds';
import type { IconName } from '../controls/icons.tsx';

/** What people and tests say of a host, in the words of every page. */
export const RUM_VERDICT_WORDS: Readonly<Record<RumVerdict, string>> = {
  healthy: 'Healthy',
  user_impact_confirmed: 'Users hurt, tests confirm it',
  synthetic_only_no_user_impact: 'Tests fail, users fine',
  user_only_synthetic_blind: 'Users hurt, tests blind',
};

export const RUM_VERDICT_ICONS: Readonly<Record<RumVerdict, IconName>> = {
  healthy: 'ok',
  user_impact_confirmed: 'people',
  synthetic_only_no_user_impact: 'target',
  user_only_synthetic_blind: 'eyeOff',
};
