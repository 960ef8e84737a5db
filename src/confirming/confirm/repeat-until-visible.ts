import { SECOND } from "#core/clock.ts";
import { RefusalError } from "#core/errors.ts";

/**
 * The longest wait (ms) for a token to become visible. Hosts of MCP servers end a call after a minute, and a person
 * waits no longer for a page.
 */
const MAX_WAIT_MS = 20 * SECOND;

/** Repeats a confirm whose token is not yet visible in this location. For callers that do not repeat it themselves. */
export async function repeatUntilVisible<T>(confirm: () => Promise<T>, sleep = waitFor): Promise<T> {
  for (let waitedMs = 0; ;) {
    try {
      return await confirm();
    } catch (error) {
      const waitMs = waitOf(error);
      waitedMs += waitMs;
      if (waitMs === 0 || waitedMs > MAX_WAIT_MS) {
        throw error;
      }
      await sleep(waitMs);
    }
  }
}

function waitOf(error: unknown): number {
  const isHidden = error instanceof RefusalError && error.refusal.code === "token_not_visible_yet";
  return isHidden ? (error.refusal.retryAfterSeconds ?? 0) * SECOND : 0;
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
