/** A column whose texts only TOKEN_KEYS can open. */
export type SealedColumn = readonly [table: string, column: string];

/** Those that live longer than a day; a test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ["connections", "sealed_tokens"],
  ["accounts", "sealed_token"],
  ["app_registrations", "sealed"],
  ["webhooks", "sealed_secret"],
  ["webhooks", "previous_sealed_secret"],
];

/** SQL for the id of the key that sealed a text, which begins with `v1.<key id>.`. */
export function keyIdSql(column: string): string {
  const rest = `substr(${column}, instr(${column}, '.') + 1)`;
  return `substr(${rest}, 1, instr(${rest}, '.') - 1)`;
}

/** How many texts of the columns each key seals. */
export function sealedPerKeySql(columns: readonly SealedColumn[]): string {
  const texts = columns.map(([table, name]) => `SELECT ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`);
  return `SELECT ${keyIdSql("sealed")} AS id, count(*) AS rows FROM (${texts.join(" UNION ALL ")}) GROUP BY 1 ORDER BY 1`;
}
