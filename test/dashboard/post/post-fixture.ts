import { signInNewUser, type ServiceFixture } from "../../auth/service-fixture.ts";
import { createTestContext, type TestContextOptions } from "../../posts/test-context.ts";

/** A signed-in person with a browser, and the use cases as an API client of the same person has them. */
export async function createPostAuthor(service: ServiceFixture, options: TestContextOptions = {}) {
  const { browser, userId, workspaceId } = await signInNewUser(service);
  const ctx = createTestContext({ ...options, actor: { userId, workspaceId, ...options.actor } });
  return { browser, ctx };
}
