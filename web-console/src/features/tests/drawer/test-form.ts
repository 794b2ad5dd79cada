import type { RunnerChoice, Test, TestSpecInput } from '@svc/contracts/tests/test';
import { DEFAULT_TIMEOUT_SECONDS, type TestType } from '@svc/contracts/tests/test-types';
import { readLabels, writeLabels } from '../../../ui/words/labels.ts';
import { fitTarget, inferType, suggestName } from './infer-type.ts';
import { FIRST_PARAMS, type Params } from './params.ts';

export type RunnerMode = RunnerChoice['mode'];

/** What is typed, as text: so it survives as a draft whatever it is. */
export interface TestForm {
  type: TestType;
  /** Chosen by hand: what the target looks like changes it no more. */
  isTypeChosen: boolean;
  target: string;
  name: string;
  isNamed: boolean;
  every: string;
  timeout: string;
  mode: RunnerMode;
  runners: string[];
  runnerLabels: string;
  failWhen: string;
  failingAfter: string;
  site: string;
  labels: string;
  isEnabled: boolean;
  /** By type, as JSON: a draft keeps only fields that it knows. */
  params: string;
}

export const EMPTY_FORM: TestForm = {
  ...{ type: 'https', isTypeChosen: false, target: '', name: '', isNamed: false, every: '60 s', timeout: '' },
  ...{ mode: 'any', runners: [], runnerLabels: '', failWhen: '1', failingAfter: '', site: '', labels: '', isEnabled: true },
  params: '{}',
};

const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, sec: 1, min: 60, m: 60, h: 3600 };

/** Seconds of "60", "60 s", "2 min" or "1 h"; undefined for what is none. */
export function readSeconds(text: string): number | undefined {
  const [, figure, unit = ''] = /^\s*(\d{1,6})\s*([a-z]*)\s*$/i.exec(text) ?? [];
  const factor = UNIT_SECONDS[unit.toLowerCase()];
  return figure === undefined || factor === undefined ? undefined : Number(figure) * factor;
}

const writeSeconds = (seconds: number): string => {
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  return seconds > 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
};

const paramsByType = (form: Pick<TestForm, 'params'>): Partial<Record<TestType, Params>> => JSON.parse(form.params) as never;

export const paramsOf = (form: TestForm): Params => paramsByType(form)[form.type] ?? FIRST_PARAMS[form.type];

export const withParams = (form: TestForm, params: Params): Partial<TestForm> => ({
  params: JSON.stringify({ ...paramsByType(form), [form.type]: params }),
});

/** What typing a target changes: the type that it speaks of, and the name until somebody gives one. */
export function withTarget(form: TestForm, target: string): Partial<TestForm> {
  const type = form.isTypeChosen ? form.type : (inferType(target) ?? form.type);
  return { target, type, ...(form.isNamed ? {} : { name: suggestName(fitTarget(type, target)) }) };
}

export function withType(form: TestForm, type: TestType): Partial<TestForm> {
  const target = fitTarget(type, form.target);
  return { type, isTypeChosen: true, target, ...(form.isNamed ? {} : { name: suggestName(target) }) };
}

const chosenOf = (choice: RunnerChoice): Pick<TestForm, 'mode' | 'runners' | 'runnerLabels'> => ({
  mode: choice.mode,
  runners: choice.mode === 'named' ? [...choice.runners] : [],
  runnerLabels: choice.mode === 'labels' ? writeLabels(choice.labels) : '',
});

/** The form of a test that is there. */
export const formOf = (test: Test): TestForm => ({
  ...{ type: test.type, isTypeChosen: true, target: test.target, name: test.name, isNamed: true },
  every: writeSeconds(test.interval_seconds),
  timeout: test.timeout_seconds === undefined ? '' : writeSeconds(test.timeout_seconds),
  ...chosenOf(test.runners),
  failWhen: String(test.fail_when),
  failingAfter: test.failing_after === undefined ? '' : String(test.failing_after),
  ...{ site: test.site ?? '', labels: writeLabels(test.labels), isEnabled: test.enabled },
  params: JSON.stringify({ [test.type]: test.params }),
});

/** The copy of a test: everything but its name, which there is once. */
export const cloneOf = (test: Test): TestForm => ({ ...formOf(test), name: `${test.name} (copy)`.slice(0, 200) });

function choiceOf(form: TestForm): RunnerChoice {
  if (form.mode === 'named') return { mode: 'named', runners: form.runners };
  return form.mode === 'labels' ? { mode: 'labels', labels: readLabels(form.runnerLabels) } : { mode: form.mode };
}

/** A number, or what was typed instead: the server says at its field what is wrong with that. */
const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text)) as number;
const optional = <Key extends string>(key: Key, value: number | string | undefined) =>
  value === undefined || value === '' ? {} : { [key]: value };

/** The test as it is sent. */
export function toSpec(form: TestForm): TestSpecInput {
  return {
    ...{ type: form.type, name: form.name.trim(), target: fitTarget(form.type, form.target), params: paramsOf(form) },
    ...{ interval_seconds: readSeconds(form.every), runners: choiceOf(form), fail_when: numberOf(form.failWhen) },
    ...{ labels: readLabels(form.labels), enabled: form.isEnabled },
    ...optional('timeout_seconds', form.timeout.trim() === '' ? undefined : readSeconds(form.timeout)),
    ...optional('failing_after', form.failingAfter.trim() === '' ? undefined : numberOf(form.failingAfter)),
    ...optional('site', form.site.trim()),
  } as TestSpecInput;
}

/** What of it a run depends on: one that was tried with something else says nothing of it. */
export function triedOf(form: TestForm): string {
  const { type, target, params, runners, timeout_seconds: timeout } = toSpec(form);
  return JSON.stringify([type, target, params, runners, timeout]);
}

/** Why it cannot be sent yet, the first thing missing; the server checks the rest. */
export function missingOf(form: TestForm): string | undefined {
  if (form.target.trim() === '') return 'Type a target';
  if (form.name.trim() === '') return 'Give it a name';
  const every = readSeconds(form.every);
  if (every === undefined || every < 1 || every > 86_400) return 'Every 1 s to 24 h';
  if (form.timeout.trim() !== '' && readSeconds(form.timeout) === undefined) return 'Check after how long it gives up';
  if (form.mode === 'named' && form.runners.length === 0) return 'Choose a runner';
  if (form.mode === 'labels' && Object.keys(readLabels(form.runnerLabels)).length === 0) return 'Name a label of runners';
  return undefined;
}

/** "3 s", after which a run of this type gives up where the test says nothing. */
export const usualTimeout = (type: TestType): string => writeSeconds(DEFAULT_TIMEOUT_SECONDS[type]);
