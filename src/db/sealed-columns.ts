/** A column whose texts are encrypted with TOKEN_KEYS. */
export type SealedColumn = readonly [table: string, column: string];

/**
 * The encrypted columns whose rows live longer than a day, so that a key change must re-encrypt them. A test compares
 * them with the schema.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ["connections", "sealed_tokens"],
  ["accounts", "sealed_token"],
  ["app_registrations", "sealed"],
  ["webhooks", "sealed_secret"],
  ["webhooks", "previous_sealed_secret"],
];

/** SQL for the id of the key that encrypted a column's text, which begins with `v1.<key id>.`. */
export function keyIdSql(column: string): string {
  const rest = `substr(${column}, instr(${column}, '.') + 1)`;
  return `substr(${rest}, 1, instr(${rest}, '.') - 1)`;
}

/** SQL that counts the encrypted texts of the columns by key. A key without texts can be removed. */
export function sealedPerKeySql(columns: readonly SealedColumn[]): string {
  const texts = columns.map(([table, name]) => `SELECT ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`);
  return `SELECT ${keyIdSql("sealed")} AS id, count(*) AS rows FROM (${texts.join(" UNION ALL ")}) GROUP BY 1 ORDER BY 1`;
}
