import { SEVERITIES, type Severity } from '@svc/contracts/incidents/signal';

export const highest = (a: Severity, b: Severity): Severity => (SEVERITIES.indexOf(a) >= SEVERITIES.indexOf(b) ? a : b);
