/** What the address of the rules asks for: the editor, of a new rule or of one that is there. */
export interface RulesSearch {
  edit?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const decodeRulesSearch = (raw: Record<string, unknown>): RulesSearch =>
  typeof raw.edit === 'string' && (raw.edit === 'new' || UUID.test(raw.edit)) ? { edit: raw.edit } : {};
