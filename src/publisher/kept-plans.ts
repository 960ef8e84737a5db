import { SECOND } from "#core/clock.ts";

/** How long (ms) a plan is kept. KV shows it everywhere after little more than a minute. */
const KEPT_FOR_MS = 90 * SECOND;
/** How much text all kept plans may have together, of the 128 MB of an object. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface KeptPlan {
  readonly text: string;
  readonly until: number;
}

/** The plans of a user's last previews, in memory only. */
export class KeptPlans {
  /** The plans, oldest first. */
  readonly #plans = new Map<string, KeptPlan>();
  #characters = 0;

  keep(key: string, text: string, now: number): void {
    this.#plans.set(key, { text, until: now + KEPT_FOR_MS });
    this.#characters += text.length;
    for (const [oldest, plan] of this.#plans) {
      if (now < plan.until && this.#characters <= MAX_CHARACTERS) {
        return;
      }
      this.#plans.delete(oldest);
      this.#characters -= plan.text.length;
    }
  }

  find(key: string): string | null {
    return this.#plans.get(key)?.text ?? null;
  }
}
