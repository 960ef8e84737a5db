import { MAX_PAGE_BYTES } from "#core/page-bytes.ts";

/**
 * The rows of a statement in their order, with `bytes`, the size of the texts up to each row. A text that ends beyond 4 MiB is null, except
 * that of the first row. The database cuts, because the long texts of a page can be larger than an isolate.
 */
export function cutTextsSql(sql: string, { text, others }: { readonly text: string; readonly others: string }): string {
  return `SELECT ${others}, bytes, iif(bytes <= ${MAX_PAGE_BYTES} OR bytes = octet_length(${text}), ${text}, NULL) AS ${text}
    FROM (SELECT *, sum(octet_length(${text})) OVER (ROWS UNBOUNDED PRECEDING) AS bytes FROM (${sql}))`;
}
