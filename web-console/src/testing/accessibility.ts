import axe from 'axe-core';

/** As in the end-to-end tests. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** What axe finds in a part of the page, each with the first element that has it: the empty list is what tests expect. */
export async function findBarriers(part: HTMLElement = document.body): Promise<string[]> {
  const { violations } = await axe.run(part, { runOnly: TAGS, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
