import {
  ChangeConnector,
  CheckConnector,
  Connector,
  ConnectorList,
  CreateConnector,
  OfConnector,
  ProviderForms,
  RenameConnector,
  Trial,
} from '@svc/contracts/notify/connector';
import { z } from 'zod';
import { permitted, router } from '#api';
import {
  type ConnectorsDeps,
  changeConnector,
  createConnector,
  getConnector,
  listConnectors,
  listForms,
  pauseConnector,
  removeConnector,
  renameConnector,
  resumeConnector,
} from './connectors/change.ts';
import { checkConnector, testConnector } from './connectors/try.ts';

const tags = ['notifications'];
const errors = ['not_found', 'conflict'] as const;
const path = '/notify/connectors/:id';

const reading = (deps: ConnectorsDeps) => ({
  list: permitted('incident.read', {
    rest: { method: 'GET', path: '/notify/connectors', tags, summary: 'Connectors, with how they are' },
  })
    .output(ConnectorList)
    .query(async ({ ctx }) => ({ items: await listConnectors(deps, ctx) })),

  get: permitted('incident.read', { rest: { method: 'GET', path, tags, summary: 'One connector', errors: ['not_found'] } })
    .input(OfConnector)
    .output(Connector)
    .query(async ({ ctx, input }) => await getConnector(deps, ctx, input.id)),

  /** What each provider wants to be told. */
  forms: permitted('incident.read')
    .output(ProviderForms)
    .query(() => ({ items: listForms(deps) })),
});

const changing = (deps: ConnectorsDeps) => ({
  create: permitted('settings.write', {
    rest: { method: 'POST', path: '/notify/connectors', status: 201, tags, summary: 'Add a connector', errors: ['conflict'] },
  })
    .input(CreateConnector)
    .output(Connector)
    .mutation(async ({ ctx, input }) => await createConnector(deps, ctx, input)),

  rename: permitted('settings.write', {
    rest: { method: 'PATCH', path, tags, summary: 'Rename a connector', errors },
  })
    .input(RenameConnector)
    .output(Connector)
    .mutation(async ({ ctx, input }) => await renameConnector(deps, ctx, input)),

  change: permitted('settings.write', {
    rest: {
      ...{ method: 'PUT', path: '/notify/connectors/:id/settings', tags, errors },
      summary: 'Give a connector other settings or another credential',
    },
  })
    .input(ChangeConnector)
    .output(Connector)
    .mutation(async ({ ctx, input }) => await changeConnector(deps, ctx, input)),
});

const trying = (deps: ConnectorsDeps) => ({
  pause: permitted('settings.write', {
    rest: { method: 'POST', path: '/notify/connectors/:id/pause', tags, summary: 'Let what is written for it wait', errors },
  })
    .input(OfConnector)
    .output(Connector)
    .mutation(async ({ ctx, input }) => await pauseConnector(deps, ctx, input.id)),

  resume: permitted('settings.write', {
    rest: { method: 'POST', path: '/notify/connectors/:id/resume', tags, summary: 'Send again, at once', errors },
  })
    .input(OfConnector)
    .output(Connector)
    .mutation(async ({ ctx, input }) => await resumeConnector(deps, ctx, input.id)),

  /** Asks the provider whether a credential is taken; writes nothing. */
  check: permitted('settings.write', { unaudited: true })
    .input(CheckConnector)
    .output(Trial)
    .mutation(async ({ ctx, input }) => await checkConnector(deps, ctx, input)),

  test: permitted('settings.write', {
    rest: {
      ...{ method: 'POST', path: '/notify/connectors/:id/test', tags, errors },
      summary: 'Open a message that says it is a test, and close it again; it may page somebody',
    },
  })
    .input(OfConnector)
    .output(Trial)
    .mutation(async ({ ctx, input }) => await testConnector(deps, ctx, input.id)),

  remove: permitted('settings.write', {
    rest: { method: 'DELETE', path, status: 204, tags, summary: 'Delete a connector; what waits for it is not sent', errors },
  })
    .input(OfConnector)
    .output(z.void())
    .mutation(async ({ ctx, input }) => await removeConnector(deps, ctx, input.id)),
});

/** `notify.connectors.*` over tRPC, /v1/notify/connectors over REST. */
export const createConnectorsProcedures = (deps: ConnectorsDeps) =>
  router({ ...reading(deps), ...changing(deps), ...trying(deps) });
