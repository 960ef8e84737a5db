/** A column whose texts are encrypted with TOKEN_KEYS. */
export type SealedColumn = readonly [table: string, column: string];

/** The encrypted columns whose rows live longer than a day. A test compares them with the schema. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ["connections", "sealed_tokens"],
  ["accounts", "sealed_token"],
  ["app_registrations", "sealed"],
  ["webhooks", "sealed_secret"],
  ["webhooks", "previous_sealed_secret"],
];

/** SQL for the id of the key that encrypted a text. The text begins with `v1.<key id>.`. */
export function keyIdSql(column: string): string {
  const rest = `substr(${column}, instr(${column}, '.') + 1)`;
  return `substr(${rest}, 1, instr(${rest}, '.') - 1)`;
}

/** SQL that counts, for each key, the texts of the columns that it encrypted. */
export function sealedPerKeySql(columns: readonly SealedColumn[]): string {
  const texts = columns.map(([table, name]) => `SELECT ${name} AS sealed FROM ${table} WHERE ${name} IS NOT NULL`);
  return `SELECT ${keyIdSql("sealed")} AS id, count(*) AS rows FROM (${texts.join(" UNION ALL ")}) GROUP BY 1 ORDER BY 1`;
}
