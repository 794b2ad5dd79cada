import { serviceColor } from '../../ui/service-color.ts';

/** The bar in a service's colour that stands before its name. */
export const ServiceMark = ({ name }: { name: string }) => (
  <i className="svc-mark" style={{ background: serviceColor(name) }} aria-hidden="true" />
);
