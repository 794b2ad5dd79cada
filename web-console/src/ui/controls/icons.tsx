export { Icon, type IconName } from '@svc/look/icons';

/** The product's mark: a hop, a ring on a line that changes level. */
export function Mark() {
  return (
    <svg
      className="mark"
      width="20.8"
      height="16"
      viewBox="0 0 26 20"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
    >
      <path d="M1.5 6.5H7M19 13.5h5.5" />
      <circle cx="13" cy="10" r="7" />
      <circle cx="13" cy="10" r="2.2" fill="currentColor" stroke="none" />
    </svg>
  );
}
