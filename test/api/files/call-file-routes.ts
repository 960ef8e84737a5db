import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createFileRoutes } from "#api/files/index.ts";
import { concatBytes } from "../../media/samples.ts";
import { type TestContext, createTestContext } from "../../media/test-context.ts";

export { createTestContext, type TestContext };

const routes = createFileRoutes(() => createTestContext().outbound);

/** Sends a request to the file routes and waits for its deferred work. */
export async function callFileRoutes(
  url: string,
  init: RequestInit = {},
  settings: Record<string, unknown> = {},
): Promise<Response> {
  const ctx = createExecutionContext();
  const response = await routes.fetch(new Request(new URL(url, env.ORIGIN), init), { ...env, ...settings }, ctx);
  await waitOnExecutionContext(ctx);
  return response;
}

interface UploadResponseBody {
  error?: string;
  code?: string;
  details?: { code: string; limit?: unknown; actual?: unknown }[];
  media_item?: { id: string; url: string; type: string; sha256: string; content_type: string; size_bytes: number };
  received_parts?: number[];
  missing_parts?: number[];
  upload?: { state: string; received_parts: number[]; missing_parts: number[] };
}

export const byNumber = (a: number, b: number) => a - b;
export const readJson = (response: Response): Promise<UploadResponseBody> => response.json<UploadResponseBody>();

export async function storageUsed(ctx: TestContext): Promise<number> {
  const row = await env.DB.prepare("SELECT bytes FROM storage_use WHERE workspace_id = ?")
    .bind(ctx.actor.workspaceId)
    .first<{ bytes: number }>();
  return row?.bytes ?? 0;
}

export function padded(bytes: Uint8Array, sizeBytes: number): Uint8Array<ArrayBuffer> {
  return concatBytes(bytes, new Uint8Array(sizeBytes - bytes.length));
}
