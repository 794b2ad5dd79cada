import { type Rating, VITAL_BOUNDS, type Vital } from '@svc/contracts/rum/kinds';

/** As the server rates it: good up to and with the one bound, poor above the other. */
export function ratingOf(vital: Vital, value: number): Rating {
  const { good, poor } = VITAL_BOUNDS[vital];
  if (value <= good) return 'good';
  return value > poor ? 'poor' : 'needs_improvement';
}
