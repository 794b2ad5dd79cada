import type { CollectItem, DisclosureView, IpcInput } from '@svc/contracts/agent/ipc';
import { useEffect, useState } from 'react';
import type { CallFault, ServiceLink } from '../bridge.ts';
import { useCall } from '../use-call.ts';

type UserSwitch = IpcInput<'switchItem'>['item'];

export interface Disclosure {
  view: DisclosureView | null;
  fault: CallFault | null;
  busy: boolean;
  flip(item: CollectItem): void;
  /** Reads it again. */
  refresh(): void;
}

/** What is collected, read again whenever a new verdict shows that something was measured or settings came. */
export function useDisclosure(link: ServiceLink): Disclosure {
  const [view, setView] = useState<DisclosureView | null>(null);
  const { run, fault } = useCall('disclosure');
  const change = useCall('switchItem');
  const stamp = link.reachable
    ? `${link.state.verdict?.atMs} ${link.state.server} ${link.state.state} ${link.state.disclosure}`
    : 'gone';
  useEffect(() => {
    if (stamp !== 'gone') void run({}).then((found) => found && setView(found));
  }, [run, stamp]);
  return {
    view,
    fault: change.fault ?? fault,
    busy: change.busy,
    refresh: () => void run({}).then((found) => found && setView(found)),
    flip: ({ item, on }) => {
      // Only items marked `yours` have a switch, and only these are among the user's.
      void change.run({ item: item as UserSwitch, on: !on }).then((found) => found && setView(found));
    },
  };
}
