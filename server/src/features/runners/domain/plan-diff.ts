import type { PlannedTest } from '@svc/contracts/tests/plan';

export interface PlanChange {
  put: PlannedTest[];
  remove: string[];
}

/** What tells two states of a planned test apart: its version, and its secrets, which change without one. */
const markOf = ({ test, secrets }: PlannedTest): string => `${test.version}${secrets.length > 0 ? JSON.stringify(secrets) : ''}`;

/** Remembers what was given, and says what changed since. */
export function createPlanDiff() {
  let given = new Map<string, string>();
  return {
    next(plan: readonly PlannedTest[]): PlanChange {
      const marks = new Map(plan.map((planned) => [planned.test.id, markOf(planned)]));
      const put = plan.filter(({ test }) => given.get(test.id) !== marks.get(test.id));
      const remove = [...given.keys()].filter((id) => !marks.has(id));
      given = marks;
      return { put, remove };
    },
    forget(): string[] {
      const ids = [...given.keys()];
      given = new Map();
      return ids;
    },
  };
}
