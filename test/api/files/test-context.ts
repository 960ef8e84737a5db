import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createFileRoutes } from "#api/files/index.ts";
import { type TestContext, createTestContext } from "../../media/test-context.ts";

export { createTestContext, type TestContext };

const routes = createFileRoutes(() => createTestContext().outbound);

/** A request to the file routes; ends when the work put off is done too. */
export async function call(
  url: string,
  init: RequestInit = {},
  settings: Record<string, unknown> = {},
): Promise<Response> {
  const ctx = createExecutionContext();
  const response = await routes.fetch(new Request(new URL(url, env.ORIGIN), init), { ...env, ...settings }, ctx);
  await waitOnExecutionContext(ctx);
  return response;
}
