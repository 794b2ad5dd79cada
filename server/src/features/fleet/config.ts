import { configKey, parseInteger } from '#kernel';

/** Keys of the fleet slice; where devices trace by default stands in the `endpoint` fragment. */
export const fleetKeys = {
  enrollRatePerMin: configKey({
    key: 'SVC_ENROLL_RATE_PER_MIN',
    parse: parseInteger(0, 1_000_000),
    fallback: 1200,
    defaultText: '1200',
    doc: 'Enrolments and renewals per minute from one address, where a whole office may stand behind one; 0 disables the bound.',
  }),
};
