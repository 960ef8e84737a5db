/*
 * The version before runs on the tables of the next one: migrations are applied before the upload, and a rollback brings back code
 * alone. So a migration only adds; what a release reads goes one release after its last reader.
 */

export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const NAME = String.raw`[\x60"\[]?(\w+)[\x60"\]]?`;

/** Without comments, texts and the bodies of triggers, in which a DROP would mean nothing. */
function statementsOf(sql: string): string[] {
  return sql
    .replaceAll(/--(?!> statement-breakpoint).*$/gm, "")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/(\bCREATE\s+TRIGGER\s+\S+)[\s\S]*?\bEND\s*;/gi, "$1;")
    .split(/;|--> statement-breakpoint/)
    .map((statement) => statement.trim().replaceAll(/\s+/g, " "))
    .filter((statement) => statement !== "");
}

const matches = (statements: readonly string[], pattern: RegExp): string[] =>
  statements.flatMap((statement) => {
    const name = pattern.exec(statement)?.[1];
    return name === undefined ? [] : [name];
  });

const of = (text: string): RegExp => new RegExp(text, "i");

/** What in the migrations after the release would break it: its tables, columns, unique keys and triggers stay as they were. */
export function expandViolations(released: readonly Migration[], added: readonly Migration[]): string[] {
  const before = released.flatMap(({ sql }) => statementsOf(sql));
  const tables = new Set(matches(before, of(`^CREATE TABLE (?:IF NOT EXISTS )?${NAME}`)));
  const uniqueIndexes = new Set(matches(before, of(`^CREATE UNIQUE INDEX (?:IF NOT EXISTS )?${NAME}`)));
  return added.flatMap(({ name, sql }) => {
    const statements = statementsOf(sql);
    const made = new Set(matches(statements, of(`^CREATE TRIGGER (?:IF NOT EXISTS )?${NAME}`)));
    return statements.flatMap((statement) => {
      const about = (pattern: string, of_: ReadonlySet<string>): boolean =>
        of_.has(of(pattern).exec(statement)?.[1] ?? "");
      const problem = about(`^DROP TABLE (?:IF EXISTS )?${NAME}`, tables)
        ? "drops a table"
        : about(`^ALTER TABLE ${NAME} RENAME`, tables)
          ? "renames"
          : about(`^ALTER TABLE ${NAME} DROP`, tables)
            ? "drops a column"
            : about(`^ALTER TABLE ${NAME} ADD .*NOT NULL`, tables) && !/\bDEFAULT\b/i.test(statement)
              ? "adds a column that an INSERT must name"
              : about(`^CREATE UNIQUE INDEX .* ON ${NAME}`, tables)
                ? "adds a unique key, which may refuse an INSERT"
                : about(`^DROP INDEX (?:IF EXISTS )?${NAME}`, uniqueIndexes)
                  ? "drops a unique key"
                  : /^DROP TRIGGER/i.test(statement) && !about(`^DROP TRIGGER (?:IF EXISTS )?${NAME}`, made)
                    ? "drops a trigger without making it anew"
                    : null;
      return problem === null ? [] : [`${name}: ${problem}: ${statement.slice(0, 80)}`];
    });
  });
}
