import type { Bus } from '#bus';
import { AppError, type TenantId } from '#kernel';

/** The bus without tenants that were erased: nothing of them is taken in, and what still lies there is read over. */
export const guardBus = (bus: Bus, isErased: (tenant: TenantId) => boolean): Bus => ({
  ...bus,
  async publish(topic, messages) {
    if (messages.some(({ tenant }) => isErased(tenant))) throw new AppError('forbidden', 'This tenant was erased.');
    await bus.publish(topic, messages);
  },
  subscribe: (options, handler) =>
    bus.subscribe(options, async (batch, signal) => {
      if (!batch.messages.some(({ tenant }) => isErased(tenant))) return await handler(batch, signal);
      const messages = batch.messages.filter(({ tenant }) => !isErased(tenant));
      if (messages.length > 0) return await handler({ ...batch, messages }, signal);
    }),
});
