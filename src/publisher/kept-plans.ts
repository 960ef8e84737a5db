import { SECOND } from "#core/clock.ts";

/** KV shows a plan everywhere after a minute or little more. */
const KEPT_FOR_MS = 90 * SECOND;
/** Of the 128 MB that an object has. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

interface KeptPlan {
  readonly text: string;
  readonly until: number;
}

/** The last previewed plans of a user, in memory only. */
export class KeptPlans {
  /** The oldest first. */
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
