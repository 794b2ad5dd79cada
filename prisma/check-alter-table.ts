import { child, contains, lastName, type Node, nodes, text, unwrap } from './parse-tree.ts';

type Refuse = (rule: string, what: string) => undefined;

const HARMLESS = [
  'AT_ValidateConstraint',
  'AT_EnableRowSecurity',
  'AT_ForceRowSecurity',
  'AT_SetStatistics',
  'AT_SetStorage',
  'AT_SetCompression',
  'AT_SetRelOptions',
];

/** Names under which what is refused most often is reported; any other kind is refused as "alter-table". */
const RULES: Readonly<Record<string, string>> = {
  AT_DropColumn: 'drop-column',
  AT_AlterColumnType: 'type-change',
  AT_SetNotNull: 'set-not-null',
  AT_DropNotNull: 'drop-not-null',
  AT_DropConstraint: 'drop-constraint',
  AT_DisableRowSecurity: 'rls-off',
  AT_NoForceRowSecurity: 'rls-off',
  AT_ChangeOwner: 'owner-change',
};

/** Defaults that PostgreSQL stores once instead of rewriting the table: constants, casts of them, the statement's time. */
function isConstant(expression: Node): boolean {
  const { kind, content } = unwrap(expression);
  if (kind === 'A_Const' || kind === 'SQLValueFunction') return true;
  if (kind === 'TypeCast') return isConstant(child(content, 'arg'));
  return kind === 'FuncCall' && ['now', 'transaction_timestamp'].includes(lastName(nodes(content, 'funcname')));
}

function checkAddColumn(table: string, definition: Node, refuse: Refuse): undefined {
  const column = `${table}.${text(definition, 'colname')}`;
  const constraints = nodes(definition, 'constraints').map((one) => child(one, 'Constraint'));
  const kinds = constraints.map((one) => text(one, 'contype'));
  const fallback = constraints.find((one) => text(one, 'contype') === 'CONSTR_DEFAULT');
  if (kinds.includes('CONSTR_NOTNULL') && !fallback) refuse('not-null-without-default', column);
  if (fallback && !isConstant(child(fallback, 'raw_expr'))) refuse('default-rewrites-table', column);
  for (const kind of kinds) {
    if (['CONSTR_GENERATED', 'CONSTR_IDENTITY'].includes(kind)) refuse('default-rewrites-table', column);
    else if (['CONSTR_CHECK', 'CONSTR_FOREIGN'].includes(kind))
      refuse('constraint-validates', `${column}: add it apart, NOT VALID`);
    else if (['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_EXCLUSION'].includes(kind)) refuse('unique-on-existing', column);
    else if (!['CONSTR_NOTNULL', 'CONSTR_NULL', 'CONSTR_DEFAULT'].includes(kind)) refuse('alter-table', `${column} ${kind}`);
  }
}

function checkAddConstraint(table: string, constraint: Node, refuse: Refuse): undefined {
  const kind = text(constraint, 'contype');
  const name = `${table} ${text(constraint, 'conname')}`;
  if (['CONSTR_CHECK', 'CONSTR_FOREIGN'].includes(kind)) {
    if (constraint.skip_validation !== true)
      refuse('constraint-validates', `${name}: write NOT VALID, and VALIDATE in a later migration`);
  } else if (['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_EXCLUSION'].includes(kind)) refuse('unique-on-existing', name);
  else refuse('set-not-null', name);
}

/** One ALTER TABLE; `isNew` says that the same file made the table, so that nobody uses it yet. */
export function checkAlterTable(statement: Node, target: { table: string; isNew: boolean }, refuse: Refuse): undefined {
  const { table, isNew } = target;
  if (text(statement, 'objtype') !== 'OBJECT_TABLE') return refuse('alter-table', `${text(statement, 'objtype')} ${table}`);
  for (const command of nodes(statement, 'cmds').map((one) => child(one, 'AlterTableCmd'))) {
    const subtype = text(command, 'subtype');
    const definition = unwrap(child(command, 'def')).content;
    if (HARMLESS.includes(subtype)) continue;
    if (subtype === 'AT_AddColumn') {
      if (!isNew) checkAddColumn(table, definition, refuse);
    } else if (subtype === 'AT_AddConstraint') {
      if (!isNew) checkAddConstraint(table, definition, refuse);
    } else if (subtype === 'AT_ColumnDefault') {
      if (!isNew && !contains(command, ['def'])) refuse('drop-default', `${table}.${text(command, 'name')}`);
    } else if (!(isNew && subtype === 'AT_SetNotNull')) {
      refuse(RULES[subtype] ?? 'alter-table', `${table}.${text(command, 'name') || subtype}`);
    }
  }
}
