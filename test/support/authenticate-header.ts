import { authenticate, type Authentication, presentedCredential } from "#auth/index.ts";
import type { Services } from "#context.ts";

/** Authenticates an `Authorization` header afresh, as the first request with it. */
export async function authenticateHeader(
  services: Pick<Services, "db" | "clock" | "config" | "defer" | "ids">,
  authorization: string,
  resource: string,
): Promise<Authentication> {
  const presented = await presentedCredential(authorization, resource);
  return presented.ok ? authenticate(services, presented) : presented;
}
