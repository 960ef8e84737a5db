import { env, exports } from "cloudflare:workers";
import { startSession } from "#auth/index.ts";
import { createServices } from "#context.ts";
import { BrowserClient, type ServiceFixture } from "../auth/service-fixture.ts";
import { createTestContext } from "../auth/test-context.ts";
import { createCaller } from "../support/create-caller.ts";

/** The service with simulated platforms, as it runs. */
export const service: ServiceFixture = {
  services: createTestContext(),
  fetch: (path, init) => exports.default.fetch(new Request(new URL(path, env.ORIGIN), { redirect: "manual", ...init })),
};

/** A person who is signed in at the service, and an API caller of the same user. */
export async function createPerson() {
  const caller = await createCaller();
  const browser = new BrowserClient(service);
  browser.session = await startSession(
    createServices(env, service.services.outbound, () => {}),
    { userId: caller.userId },
  );
  return { caller, browser };
}
