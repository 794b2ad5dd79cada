import type { Permission } from '@svc/contracts/permissions';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../queries.ts';

/** Whether the reader's roles hold a permission: false until that is known. The server decides for itself. */
export function useMay(permission: Permission): boolean {
  return useQuery(meQuery).data?.permissions.includes(permission) ?? false;
}
