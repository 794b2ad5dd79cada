/** Of the controls of somebody who lacks the permission; the page's own words, since the permission covers more than this page. */
export const MAY_NOT = 'Your role cannot change notifications. Someone with the role Administrator can.';
