import type { CloudflareApi } from "../deploy/cloudflare.ts";
import { d1Over, type StatementResult } from "./d1-over.ts";

/** The deployed database. A batch is one transaction, as in the Worker's binding. */
export function remoteD1(api: CloudflareApi, accountId: string, databaseId: string): D1Database {
  return d1Over((batch) =>
    api.post<StatementResult[]>(`/accounts/${accountId}/d1/database/${databaseId}/query`, {
      batch: batch.map(({ sql, params }) => ({ sql, params })),
    }),
  );
}
