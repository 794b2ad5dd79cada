import { useMatches, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { leftOut } from '../ui/address/known-search.ts';
import { LeftOutNotice } from '../ui/address/left-out-notice.tsx';

/** What the page could not follow of the address that the console was opened with; stands until it is dismissed or the page is left. */
export function AddressNotice() {
  const { opened } = useRouter().options.context;
  const page = useMatches({ select: (matches) => matches.at(-1) });
  const [gone, setGone] = useState(false);
  const [first, setFirst] = useState<typeof page>();
  if (page && !first && page.status !== 'pending') setFirst(page);
  if (gone || !first || page?.pathname !== first.pathname) return null;
  return <LeftOutNotice items={leftOut(opened, first.search, first.staticData.usual)} onDismiss={() => setGone(true)} />;
}
