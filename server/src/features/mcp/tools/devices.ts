import { VERDICTS } from '@svc/contracts/endpoint/view';
import { ENDPOINT_TYPES } from '@svc/contracts/results/canonical-result';
import { z } from 'zod';
import { shapeOffsetPage, without } from '../domain/shape-answers.ts';
import { id, paged, type Tool, type ToolInput, window } from './tool.ts';

const offsetOf = ({ cursor }: ToolInput): number => Number(cursor ?? 0);

export const deviceTools: readonly Tool[] = [
  {
    name: 'get_fleet_summary',
    title: 'The fleet of devices',
    description:
      'How many devices are healthy or slow and why, slow ones by hour, and causes that several devices of a site share. Start here when people complain of slowness.',
    procedure: 'endpoint.summary',
    input: z.strictObject({}),
    shape: without('agent_versions'),
  },
  {
    name: 'list_devices',
    title: 'Devices',
    description:
      'Lists devices (laptops, desktops) with what is slow on each: Wi-Fi, local network, internet access, service, or nothing.',
    procedure: 'endpoint.list',
    input: z.strictObject({
      search: z.string().max(200).optional().describe('Part of the name, the owner, the site or the gateway'),
      verdict: z.array(z.enum(VERDICTS)).max(50).optional().describe('What is slow, or why nothing is known'),
      site: z.array(z.string().max(128)).max(50).optional(),
      ...paged,
    }),
    toInput: ({ search, verdict, site, limit, ...input }) => ({
      filter: JSON.parse(JSON.stringify({ search, verdict, site })) as object,
      ...{ limit, offset: offsetOf(input) },
    }),
    shape: (answer, input) => shapeOffsetPage(offsetOf(input))(without('strip_24h', 'judged')(answer)),
  },
  {
    name: 'get_device',
    title: 'One device',
    description:
      'One device: its verdict, the layers it was judged by, paths and sessions measured last, what to try. Of the last 24 hours unless a time is given.',
    procedure: 'endpoint.device',
    input: z.strictObject({ id: id('a device'), ...window }),
    shape: without('strip_24h'),
  },
  {
    name: 'list_device_results',
    title: 'Measurements of a device',
    description: 'Single measurements of one device, the newest first.',
    procedure: 'endpoint.history',
    input: z.strictObject({ id: id('a device'), type: z.enum(ENDPOINT_TYPES).optional(), ...window, ...paged }),
  },
];
