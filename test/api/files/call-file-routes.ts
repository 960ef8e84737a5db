import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { createFileRoutes } from "#api/files/index.ts";
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
