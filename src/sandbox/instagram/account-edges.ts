import type { SimulatorContext } from "#sandbox/contract.ts";
import type { Params } from "#sandbox/graph-api.ts";
import { createContainer } from "./create-container.ts";
import { listMedia, listStories, publishContainer, publishingLimit } from "./posts.ts";
import type { TestUser } from "./test-users.ts";

/** Answers a call to an edge of an account, the same for both logins. Undefined for an unknown edge. */
export function handleAccountEdge(
  methodAndEdge: string,
  { url, sim, params }: { readonly url: URL; readonly sim: SimulatorContext; readonly params: Params },
  user: TestUser,
): Response | Promise<Response> | undefined {
  switch (methodAndEdge) {
    case "GET media":
      return listMedia(sim, user, url, params);
    case "GET stories":
      return listStories(sim, user, url, params);
    case "POST media":
      return createContainer(sim, user, params);
    case "POST media_publish":
      return publishContainer(sim, user, params);
    case "GET content_publishing_limit":
      return publishingLimit(sim, user, params);
    default:
      return undefined;
  }
}
