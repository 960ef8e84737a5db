import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";

/**
 * SQL that returns rows in their order with `bytes`, the total size of the texts so far. A text that ends beyond 4 MiB
 * becomes null, except the first. The database cuts, because the texts of a page may not fit into an isolate.
 */
export function cutTextsSql(sql: string, { text, others }: { readonly text: string; readonly others: string }): string {
  return `SELECT ${others}, bytes, iif(bytes <= ${MAX_PAGE_BYTES} OR bytes = octet_length(${text}), ${text}, NULL) AS ${text}
    FROM (SELECT *, sum(octet_length(${text})) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${sql}))`;
}
