import { refuse } from "./errors.ts";
import type { Plan } from "./plan.ts";
import type { Scope } from "./scope.ts";
import type { CreatedVia } from "./status.ts";

/** Who is asking: proved by a credential, never by a parameter. */
export interface Actor {
  readonly userId: string;
  /** The user's active workspace: what every call sees and makes. */
  readonly workspaceId: string;
  readonly plan: Plan;
  /** False when the trial is over or the subscription lapsed: every operation answers 403. */
  readonly subscribed: boolean;
  readonly scopes: readonly Scope[];
  readonly credential: { readonly kind: "api_key" | "oauth" | "session"; readonly id: string };
  readonly via: CreatedVia;
}

/** Nothing else is looked at before this: who pays for nothing learns nothing. */
export function requireSubscription({ subscribed }: Pick<Actor, "subscribed">): void {
  if (!subscribed) {
    refuse({
      code: "subscription_required",
      message: "the trial is over or the subscription lapsed: choose a plan in the dashboard",
    });
  }
}
