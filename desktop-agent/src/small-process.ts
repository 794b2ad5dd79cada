import { setFlagsFromString } from 'node:v8';

// The agent does little and seldom: compilers that only pay off in hot code would cost it some 10 MiB and win it no time.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug', '--optimize-for-size']) setFlagsFromString(flag);
