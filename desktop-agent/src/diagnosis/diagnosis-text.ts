import type { Diagnosis, Finding } from './diagnosis.ts';

const WIDTH = 28;
const line = (name: string, words: string): string => `  ${name.padEnd(WIDTH)}${words}`;

const findingText = ({ name, value, unavailable, detail }: Finding): string => {
  const told = unavailable === null ? String(value) : `unavailable: ${unavailable}`;
  return line(name, detail === '' ? told : `${told}  (${detail})`);
};

/** The whole diagnosis for a person at a terminal, in English. */
export function diagnosisText({ agent, system, readings, permissions, cost, state }: Diagnosis): string {
  return [
    `svc-agent ${agent.version} on ${system.platform} ${system.release} (${system.arch}), Node ${agent.node}`,
    '',
    'Readings',
    ...readings.map(findingText),
    '',
    'Permissions',
    ...permissions.map(({ name, state: granted, detail }) => line(name, `${granted.replace('_', ' ')}  (${detail})`)),
    '',
    'What this look took',
    line('processor', `${Math.round(cost.cpuMs)} ms in ${Math.round(cost.wallMs)} ms`),
    line('memory', `${Math.round(cost.rssBytes / 1024 / 1024)} MB`),
    '',
    'This agent',
    ...state.map(({ name, ok, detail }) => line(name, `${ok ? '' : 'no: '}${detail}`)),
  ].join('\n');
}
