import { loadModule, parseSync } from 'libpg-query';
import { checkAlterTable } from './check-alter-table.ts';
import { child, contains, lastName, type Node, nodes, relationName, text, unwrap } from './parse-tree.ts';

/** One statement that the release before could not live with, or that would lock or change what exists. */
export interface Breach {
  rule: string;
  what: string;
  /** Line in the file, from 1. */
  line: number;
}

const DATA_CHANGES = ['UpdateStmt', 'DeleteStmt', 'MergeStmt'];
const RULES: Readonly<Record<string, string>> = {
  RenameStmt: 'rename',
  AlterObjectSchemaStmt: 'set-schema',
  AlterOwnerStmt: 'owner-change',
  TruncateStmt: 'truncate',
  DeleteStmt: 'data-change',
  UpdateStmt: 'data-change',
  MergeStmt: 'data-change',
  DoStmt: 'opaque',
  CallStmt: 'opaque',
  SelectStmt: 'opaque',
  GrantRoleStmt: 'role-change',
  CreateRoleStmt: 'role-change',
  AlterRoleStmt: 'role-change',
  AlterRoleSetStmt: 'role-change',
  DropRoleStmt: 'role-change',
  AlterPolicyStmt: 'policy-change',
  TransactionStmt: 'transaction',
};
const PRIVILEGES = ['select', 'insert', 'update', 'delete', 'execute', 'usage'];

/** What one file has made so far: on such objects more is allowed, since nobody uses them yet. */
interface Scope {
  tables: Set<string>;
  functions: Set<string>;
  /** SECURITY DEFINER functions that PUBLIC may still call. */
  open: Map<string, number>;
  statements: number;
  /** Of the statement being checked. */
  line: number;
}

type Refuse = (rule: string, what: string) => undefined;

function checkIndex(node: Node, scope: Scope, refuse: Refuse): undefined {
  const table = relationName(child(node, 'relation'));
  if (scope.tables.has(table)) return;
  if (node.unique === true) refuse('unique-on-existing', `${table} ${text(node, 'idxname')}`);
  else if (node.concurrent !== true) refuse('index-not-concurrent', `${table} ${text(node, 'idxname')}`);
  else if (scope.statements > 1) refuse('index-not-alone', `${text(node, 'idxname')}: CONCURRENTLY needs a migration of its own`);
}

function checkFunction(node: Node, scope: Scope, refuse: Refuse): undefined {
  const name = lastName(nodes(node, 'funcname'));
  const options = nodes(node, 'options').map((one) => child(one, 'DefElem'));
  const option = (wanted: string) => options.find((one) => text(one, 'defname') === wanted) ?? {};
  scope.functions.add(name);
  const language = text(child(child(option('language'), 'arg'), 'String'), 'sval').toLowerCase();
  if (!['sql', 'plpgsql'].includes(language)) refuse('function-language', `${name}: ${language}`);
  if (child(child(option('security'), 'arg'), 'Boolean').boolval !== true) return;
  const set =
    options.map((one) => child(child(one, 'arg'), 'VariableSetStmt')).find((one) => text(one, 'name') === 'search_path') ?? {};
  const path = nodes(set, 'args').map((one) => text(child(child(one, 'A_Const'), 'sval'), 'sval'));
  if (path.join() !== 'public,pg_temp') refuse('definer-search-path', `${name}: SET search_path = public, pg_temp`);
  if (node.replace !== true) scope.open.set(name, scope.line);
}

function checkGrant(node: Node, scope: Scope, refuse: Refuse): undefined {
  const kind = text(node, 'objtype');
  const objects = nodes(node, 'objects')
    .map(unwrap)
    .map(({ kind: of, content }) =>
      of === 'ObjectWithArgs' ? lastName(nodes(content, 'objname')) : of === 'RangeVar' ? relationName(content) : '',
    );
  const roles = nodes(node, 'grantees').map((one) => child(one, 'RoleSpec'));
  const privileges = nodes(node, 'privileges').map((one) => text(child(one, 'AccessPriv'), 'priv_name'));
  if (text(node, 'targtype') !== 'ACL_TARGET_OBJECT') return refuse('grant', `on ${kind} of a whole schema`);
  if (node.is_grant !== true) {
    const fromPublic = roles.every((role) => text(role, 'roletype') === 'ROLESPEC_PUBLIC');
    if (fromPublic) for (const name of objects) scope.open.delete(name);
    const own = kind === 'OBJECT_TABLE' ? scope.tables : scope.functions;
    if (!objects.every((name) => own.has(name))) refuse('revoke', objects.join(', '));
    return;
  }
  if (node.grant_option === true) refuse('grant', 'WITH GRANT OPTION');
  if (privileges.length === 0 || !privileges.every((one) => PRIVILEGES.includes(one)))
    refuse('grant', privileges.join(', ') || 'ALL');
  if (!roles.every((role) => text(role, 'rolename') === 'svc_app')) refuse('grant', 'to another role than svc_app');
}

function checkTable(node: Node, scope: Scope, refuse: Refuse): undefined {
  const name = relationName(child(node, 'relation'));
  if (node.if_not_exists === true) return refuse('if-not-exists', `${name}: a migration knows what exists`);
  const parents = nodes(node, 'inhRelations').map((one) => relationName(child(one, 'RangeVar')));
  if (!parents.every((parent) => scope.tables.has(parent))) refuse('inherits-existing', name);
  scope.tables.add(name);
}

function checkStatement(statement: Node, scope: Scope, refuse: Refuse): undefined {
  const { kind, content: node } = unwrap(statement);
  const isNew = (relation: string) => scope.tables.has(relationName(child(node, relation)));
  const named = (relation: string) => relationName(child(node, relation));
  switch (kind) {
    case 'CreateStmt':
      return checkTable(node, scope, refuse);
    case 'IndexStmt':
      return checkIndex(node, scope, refuse);
    case 'AlterTableStmt':
      return checkAlterTable(node, { table: named('relation'), isNew: isNew('relation') }, refuse);
    case 'CreateFunctionStmt':
      return checkFunction(node, scope, refuse);
    case 'GrantStmt':
      return checkGrant(node, scope, refuse);
    case 'CreatePolicyStmt':
      // One more permissive policy on a table in use would widen what is seen.
      return isNew('table') ? undefined : refuse('policy-on-existing', named('table'));
    case 'InsertStmt':
      return isNew('relation') ? undefined : refuse('data-change', `insert into ${named('relation')}`);
    case 'VariableSetStmt':
      return ['lock_timeout', 'statement_timeout'].includes(text(node, 'name'))
        ? undefined
        : refuse('setting', text(node, 'name'));
    case 'AlterEnumStmt':
      return text(node, 'oldVal') ? refuse('rename', `enum value ${text(node, 'oldVal')}`) : undefined;
    case 'DropStmt':
      return refuse(text(node, 'removeType') === 'OBJECT_POLICY' ? 'drop-policy' : 'drop', text(node, 'removeType'));
    case 'CreateTrigStmt':
    case 'CreateEnumStmt':
    case 'CreateSeqStmt':
    case 'CommentStmt':
      return;
    default:
      return refuse(RULES[kind] ?? 'not-allowed', kind);
  }
}

/**
 * Checks one migration against the list of what may happen beside a running release: an allow-list over PostgreSQL's own parse tree,
 * since a list of what is forbidden missed SET SCHEMA, MERGE and DELETE in a CTE. Gives every breach; a syntax error is one.
 */
export async function findBreaches(sql: string): Promise<Breach[]> {
  await loadModule();
  let statements: Node[];
  try {
    statements = nodes(parseSync(sql) as unknown as Node, 'stmts');
  } catch (error) {
    return [{ rule: 'syntax', what: error instanceof Error ? error.message : String(error), line: 1 }];
  }
  const breaches: Breach[] = [];
  const scope: Scope = { tables: new Set(), functions: new Set(), open: new Map(), statements: statements.length, line: 1 };
  const bytes = Buffer.from(sql, 'utf8');
  for (const statement of statements) {
    const { kind, content } = unwrap(child(statement, 'stmt'));
    const start = typeof statement.stmt_location === 'number' ? statement.stmt_location : 0;
    const before = bytes.subarray(0, start).toString('utf8');
    const line = `${before}${/^\s*/.exec(bytes.subarray(start).toString('utf8'))?.[0] ?? ''}`.split('\n').length;
    const refuse: Refuse = (rule, what) => void breaches.push({ rule, what, line });
    scope.line = line;
    checkStatement(child(statement, 'stmt'), scope, refuse);
    if (!DATA_CHANGES.includes(kind) && contains(content, DATA_CHANGES)) refuse('data-change', `inside ${kind}`);
  }
  for (const [name, line] of scope.open)
    breaches.push({ rule: 'definer-open', what: `${name}: REVOKE ALL ... FROM PUBLIC`, line });
  return breaches;
}
