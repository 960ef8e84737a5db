import { accessFor } from "#accounts/index.ts";
import type { Services } from "#context.ts";
import { SECOND } from "#core/clock.ts";
import type { JsonObject } from "#core/json.ts";
import { log } from "#core/log.ts";
import { openPlatformClient } from "#platforms/client.ts";
import type { Choice } from "./resolve-targets.ts";

/** How long a preview waits for platforms; after it what is stored has to do. */
const BUDGET_MS = 3 * SECOND;

type Asking = Parameters<typeof accessFor>[0] & Pick<Services, "adapterFor" | "outbound">;

/**
 * What the platforms whose rules change often let these accounts do right now. Failing is no problem: the stored
 * capabilities serve, and the platform has the last word.
 */
export async function freshCapabilities(
  services: Asking,
  choices: readonly Choice[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const fresh = new Map<string, JsonObject>();
  const asked = choices.filter(
    ({ account }) => account.status === "active" && services.adapterFor(account.platform)?.inspect !== undefined,
  );
  if (asked.length === 0) {
    return fresh;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const budget = new Promise((resolve) => {
    timer = setTimeout(resolve, BUDGET_MS);
  });
  await Promise.race([budget, askAll(services, asked, fresh)]);
  clearTimeout(timer);
  // A copy: an answer that comes late must not change what is being judged.
  return new Map(fresh);
}

async function askAll(services: Asking, asked: readonly Choice[], fresh: Map<string, JsonObject>): Promise<void> {
  try {
    const access = await accessFor(
      services,
      asked.map(({ account }) => account.id),
    );
    await Promise.all(asked.map((choice) => ask(services, choice, access.get(choice.account.id), fresh)));
  } catch (error) {
    log("warn", "preview.inspect_failed", { reason: String(error) });
  }
}

async function ask(
  services: Asking,
  { account }: Choice,
  access: Awaited<ReturnType<typeof accessFor>> extends Map<string, infer R> ? R | undefined : never,
  fresh: Map<string, JsonObject>,
): Promise<void> {
  const adapter = services.adapterFor(account.platform);
  if (!adapter?.inspect || !access?.ok) {
    return;
  }
  try {
    const client = openPlatformClient((request) => services.outbound.platformFetch(request), adapter.hosts);
    const answer = await adapter.inspect(client, access.value);
    if (answer.ok) {
      fresh.set(account.id, answer.value);
    }
  } catch (error) {
    log("warn", "preview.inspect_failed", { platform: account.platform, reason: String(error) });
  }
}
