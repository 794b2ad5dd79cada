import './tests-shared.css';
import type { RunOfTest, TestState as State } from '@svc/contracts/tests/views';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/controls/icons.tsx';
import { isNotRun } from './assertion-words.ts';
import { STATE_ICONS, STATE_WORDS } from './test-words.ts';

/** What calls for somebody is ink and medium; only what failed is red. */
const LOOKS: Readonly<Record<State, string>> = { failing: 'bad', not_running: 'on', new: '', paused: '', passing: '' };

interface TestStateProps {
  state: State;
  /** In place of the state's own word. */
  children?: ReactNode;
}

/** Icon, word, then colour. */
export function TestState({ state, children }: TestStateProps) {
  return (
    <span className={`tstate ${LOOKS[state]}`}>
      <Icon name={STATE_ICONS[state]} />
      <span>{children ?? STATE_WORDS[state]}</span>
    </span>
  );
}

interface RunResultProps {
  run: Pick<RunOfTest, 'success' | 'fault'>;
  /** In place of the result's own word. */
  children?: ReactNode;
}

/** Of one run; one with which nothing was measured is not run, and never red. */
export function RunResult({ run: { success, fault }, children }: RunResultProps) {
  if (isNotRun(fault)) {
    return (
      <span className="tstate on">
        <Icon name="noContact" size={14} />
        <span>not run{children ? <>: {children}</> : null}</span>
      </span>
    );
  }
  return (
    <span className={success ? 'tstate' : 'tstate bad'}>
      <Icon name={success ? 'check' : 'failed'} size={14} />
      <span>{children ?? (success ? 'passed' : 'failed')}</span>
    </span>
  );
}
