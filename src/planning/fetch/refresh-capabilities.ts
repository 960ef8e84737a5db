import { clientForLogin, getAccountAccess } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import type { ResolvedTarget } from "#planning/candidates/types.ts";

/** How long (ms) a preview waits for platforms. After that it uses the stored capabilities. */
const BUDGET_MS = 3 * SECOND;

type InspectServices = Parameters<typeof getAccountAccess>[0] & Pick<Services, "adapterFor" | "outbound">;

/**
 * Asks platforms whose rules change often what accounts may do now. An account whose call fails is left out. Its stored
 * capabilities then count, and the platform decides at the time of publishing.
 */
export async function refreshCapabilities(
  services: InspectServices,
  resolvedTargets: readonly Pick<ResolvedTarget, "account">[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const fresh = new Map<string, JsonObject>();
  const inspectable = resolvedTargets.filter(
    ({ account }) =>
      account.status === "active" && services.adapterFor(account.platform)?.fetchCapabilities !== undefined,
  );
  if (inspectable.length === 0) {
    return fresh;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const budget = new Promise((resolve) => {
    timer = setTimeout(resolve, BUDGET_MS);
  });
  await Promise.race([budget, inspectAccounts(services, inspectable, fresh)]);
  clearTimeout(timer);
  // Return a copy, because a late answer must not change the capabilities while posts are checked.
  return new Map(fresh);
}

async function inspectAccounts(
  services: InspectServices,
  inspectable: readonly Pick<ResolvedTarget, "account">[],
  fresh: Map<string, JsonObject>,
): Promise<void> {
  try {
    const access = await getAccountAccess(
      services,
      inspectable.map(({ account }) => account.id),
    );
    await Promise.all(
      inspectable.map((target) => inspectAccount(services, target, access.get(target.account.id), fresh)),
    );
  } catch (error) {
    log("warn", "preview.inspect_failed", { reason: String(error) });
  }
}

async function inspectAccount(
  services: InspectServices,
  { account }: Pick<ResolvedTarget, "account">,
  access: Awaited<ReturnType<typeof getAccountAccess>> extends Map<string, infer R> ? R | undefined : never,
  fresh: Map<string, JsonObject>,
): Promise<void> {
  const adapter = services.adapterFor(account.platform);
  if (!adapter?.fetchCapabilities || !access?.ok) {
    return;
  }
  try {
    const client = clientForLogin(services, adapter, access.value);
    const answer = await adapter.fetchCapabilities(client, access.value);
    if (answer.ok) {
      fresh.set(account.id, answer.value);
    }
  } catch (error) {
    log("warn", "preview.inspect_failed", { platform: account.platform, reason: String(error) });
  }
}
