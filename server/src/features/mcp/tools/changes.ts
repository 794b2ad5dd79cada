import { CHANGE_KINDS } from '@svc/contracts/changes/kinds';
import { z } from 'zod';
import { id, paged, type Tool, window } from './tool.ts';

export const changeTools: readonly Tool[] = [
  {
    name: 'list_changes',
    title: 'Changes',
    description:
      'The timeline of changes that forges and deployment tools reported, the newest first: deployments, commits, configuration, routes. Ask it for what changed before something broke.',
    procedure: 'changes.list',
    input: z.strictObject({
      search: z.string().max(200).optional().describe('Part of title, summary, author, reference, target or repository'),
      kind: z.array(z.enum(CHANGE_KINDS)).max(7).optional(),
      source: z.string().max(200).optional(),
      target: z.string().max(2048).optional().describe('Host, service or URL that was changed'),
      prefix: z.string().max(64).optional().describe('A network (CIDR) or address: changes inside of it, around it and on it'),
      ...window,
      ...paged,
    }),
  },
  {
    name: 'get_change',
    title: 'One change',
    description: 'One change with all that its source told of it.',
    procedure: 'changes.get',
    input: z.strictObject({ id: id('a change') }),
  },
];
