import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { hashTenant, LOCAL_PARTITIONS } from '../partition.ts';
import { createUnread, type Unread } from './unread.ts';

const acme = 'acme' as TenantId;
const partition = hashTenant(acme) % LOCAL_PARTITIONS;
const SLOT = 1000;

let unread: Unread;
beforeEach(() => {
  unread = createUnread(64 * SLOT);
});

describe('unread bytes of a tenant', () => {
  it('go as its partition is handled, part by part, whatever becomes of the other partitions', () => {
    for (let at = 0; at < 5 * SLOT; at += SLOT / 2) unread.add(acme, 400, at);
    expect(unread.of(acme)).toBe(4000);
    unread.settle(partition, SLOT / 2);
    expect(unread.of(acme)).toBe(4000);
    unread.settle(partition, 2 * SLOT + 1);
    expect(unread.of(acme)).toBe(2400);
    unread.settle((partition + 1) % LOCAL_PARTITIONS, 5 * SLOT);
    expect(unread.of(acme)).toBe(2400);
  });

  it('are none once all is handled, and are counted again after that', () => {
    unread.add(acme, 400, 10);
    unread.settle(partition, Number.POSITIVE_INFINITY);
    expect(unread.of(acme)).toBe(0);
    unread.add(acme, 400, 410);
    unread.settle(partition, 410);
    expect(unread.of(acme)).toBe(400);
  });

  it('do not hold what could not be written', () => {
    const message = { tenant: acme, value: Buffer.alloc(100), headersJson: '', headersBytes: 0 };
    unread.addAll([message, message], 0);
    const both = unread.of(acme);
    unread.takeBack([message]);
    expect(unread.of(acme)).toBe(both / 2);
  });
});
