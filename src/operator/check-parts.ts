import { SECOND } from "#core/clock.ts";
import type { Services } from "#context.ts";
import { withTimeout } from "#core/with-timeout.ts";
import type { PartFact } from "./facts.ts";

const TIMEOUT_MS = 5 * SECOND;
/** A name that nothing has. */
const NOTHING = "operator-check";

/** One harmless read of each part, all at once. */
export async function checkParts(
  services: Pick<Services, "db" | "tokens" | "bucket" | "watch" | "inspectRunner">,
): Promise<readonly PartFact[]> {
  const reads: readonly (readonly [PartFact["name"], () => Promise<unknown>])[] = [
    ["database", () => services.db.d1.prepare("SELECT 1").first()],
    ["tokens", () => services.tokens.get(NOTHING)],
    ["media", () => services.bucket.head(NOTHING)],
    ["posts", () => services.inspectRunner(NOTHING)],
    ["watch", () => services.watch.highest()],
  ];
  return await Promise.all(
    reads.map(async ([name, read]) => {
      try {
        await withTimeout(read(), TIMEOUT_MS, () => new Error("no answer"));
        return { name, isWorking: true };
      } catch {
        return { name, isWorking: false };
      }
    }),
  );
}
