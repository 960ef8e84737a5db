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
