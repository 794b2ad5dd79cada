import type { EnrolCommand } from '../api.ts';
import type { FleetContext } from '../context.ts';

/** What to run in a checkout on the other device, one command per line: the first sets it up and enrols it, the second measures. */
export const enrolCommand = ({ serverUrl }: Pick<FleetContext, 'serverUrl'>, token: string): string =>
  `npm run svc-agent -- enroll --server ${serverUrl} --token ${token}\nnpm run svc-agent -- run`;

export const describeEnrolCommand = (context: FleetContext): EnrolCommand => ({
  server: context.serverUrl,
  command: enrolCommand(context, '<token>'),
  reachable: context.reachable,
});
