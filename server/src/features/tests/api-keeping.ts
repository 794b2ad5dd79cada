import { MaintenanceSpec, MaintenanceWindow, SetSecret, TestSecret, TestSettings } from '@svc/contracts/tests/keeping';
import { SECRET_NAME } from '@svc/contracts/tests/params/shared';
import { z } from 'zod';
import { permitted, router } from '#api';
import type { TestsContext } from './context.ts';
import { createWindow, listWindows, removeWindow, updateWindow } from './maintenance.ts';
import { dropSecret, listTestSecrets, setSecret } from './secrets.ts';
import { readTenantSettings, writeSettings } from './settings.ts';

const tags = ['tests'];
const nothing = z.object({});
const OfSecret = z.object({ name: z.string().regex(SECRET_NAME) });
const OfWindow = z.object({ id: z.uuid() });

const createSecretProcedures = (context: TestsContext) =>
  router({
    list: permitted('test.read', {
      rest: { method: 'GET', path: '/test-secrets', tags, summary: 'Secrets that tests may send, without their values' },
    })
      .input(nothing)
      .output(z.object({ items: z.array(TestSecret) }))
      .query(({ ctx }) => listTestSecrets(context, ctx)),
    set: permitted('test.write', {
      rest: {
        ...{ method: 'PUT', path: '/test-secrets/:name', status: 204, tags, summary: 'Make or replace a secret' },
        errors: ['conflict'],
      },
    })
      .input(SetSecret)
      .output(z.void())
      .mutation(({ ctx, input }) => setSecret(context, ctx, input)),
    remove: permitted('test.write', {
      rest: {
        method: 'DELETE',
        path: '/test-secrets/:name',
        status: 204,
        tags,
        summary: 'Delete a secret',
        errors: ['not_found'],
      },
    })
      .input(OfSecret)
      .output(z.void())
      .mutation(({ ctx, input }) => dropSecret(context, ctx, input)),
  });

const createMaintenanceProcedures = (context: TestsContext) =>
  router({
    list: permitted('test.read', {
      rest: { method: 'GET', path: '/maintenance-windows', tags, summary: 'Maintenance windows' },
    })
      .input(nothing)
      .output(z.object({ items: z.array(MaintenanceWindow) }))
      .query(({ ctx }) => listWindows(context, ctx)),
    create: permitted('test.write', {
      rest: {
        ...{ method: 'POST', path: '/maintenance-windows', status: 201, tags, summary: 'Make a maintenance window' },
        errors: ['not_found', 'conflict'],
      },
    })
      .input(MaintenanceSpec)
      .output(MaintenanceWindow)
      .mutation(({ ctx, input }) => createWindow(context, ctx, input)),
    update: permitted('test.write', {
      rest: {
        ...{ method: 'PUT', path: '/maintenance-windows/:id', tags, summary: 'Change a maintenance window' },
        errors: ['not_found'],
      },
    })
      .input(MaintenanceSpec.extend({ id: z.uuid() }))
      .output(MaintenanceWindow)
      .mutation(({ ctx, input }) => updateWindow(context, ctx, input)),
    remove: permitted('test.write', {
      rest: {
        ...{ method: 'DELETE', path: '/maintenance-windows/:id', status: 204, tags, summary: 'Delete a maintenance window' },
        errors: ['not_found'],
      },
    })
      .input(OfWindow)
      .output(z.void())
      .mutation(({ ctx, input }) => removeWindow(context, ctx, input)),
  });

const createSettingsProcedures = (context: TestsContext) =>
  router({
    get: permitted('test.read', {
      rest: { method: 'GET', path: '/test-settings', tags, summary: 'Thresholds of tests' },
    })
      .input(nothing)
      .output(TestSettings)
      .query(({ ctx }) => readTenantSettings(context, ctx.principal.tenant)),
    set: permitted('settings.write', {
      rest: { method: 'PUT', path: '/test-settings', tags, summary: 'Set the thresholds of tests' },
    })
      .input(TestSettings)
      .output(TestSettings)
      .mutation(({ ctx, input }) => writeSettings(context, ctx, input)),
  });

/** Secrets, maintenance windows and thresholds. */
export const createKeepingProcedures = (context: TestsContext) => ({
  secrets: createSecretProcedures(context),
  maintenance: createMaintenanceProcedures(context),
  settings: createSettingsProcedures(context),
});
