import { refuse } from "./errors.ts";
import type { Plan, PlanLimits } from "./plan.ts";
import type { Scope } from "./scope.ts";
import type { CreatedVia } from "./status.ts";

export const CONFIRMS = ["self", "person"] as const;
/** Who confirms a credential's previews: whoever holds the credential, or the person on an approval page. */
export type Confirms = (typeof CONFIRMS)[number];

/** The authenticated caller; taken from the credential, never from a parameter. */
export interface Actor {
  readonly userId: string;
  /** The user's active workspace, to which every call is limited. */
  readonly workspaceId: string;
  readonly plan: Plan;
  /** What the user may have or do: the plan's limits, lower in a trial. */
  readonly limits: PlanLimits;
  /** False when the trial ended or the subscription lapsed; operations then answer 403. */
  readonly subscribed: boolean;
  readonly scopes: readonly Scope[];
  readonly credential:
    | { readonly kind: "api_key" | "oauth"; readonly id: string; readonly name: string; readonly confirms: Confirms }
    | { readonly kind: "session"; readonly id: string };
  readonly via: CreatedVia;
  /** The IANA time zone of the user's profile. */
  readonly timeZone: string;
  /** Whether the workspace's events are recorded, so that its webhooks must be told of a change. */
  readonly recordsEvents: boolean;
}

/** Checked before anything is read, so that the refusal does not reveal whether something exists. */
export function requireSubscription({ subscribed }: Pick<Actor, "subscribed">): void {
  if (!subscribed) {
    refuse({
      code: "subscription_required",
      message: "the trial has ended or the subscription has lapsed: choose a plan in the dashboard",
    });
  }
}

/** The API key or app that made or changed something, with its name at that time. */
export interface Author {
  readonly kind: "key" | "app";
  readonly id: string;
  readonly name: string;
}

/** Null for the user in the dashboard. */
export function authorOf({ credential }: Pick<Actor, "credential">): Author | null {
  return credential.kind === "session"
    ? null
    : { kind: credential.kind === "api_key" ? "key" : "app", id: credential.id, name: credential.name };
}

/** Who confirms the actor's previews; a person in the dashboard does it there and then. */
export function confirmsOf({ credential }: Pick<Actor, "credential">): Confirms {
  return credential.kind === "session" ? "self" : credential.confirms;
}
