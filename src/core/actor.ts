import { refuse } from "./errors.ts";
import type { Plan, PlanLimits } from "./plan.ts";
import type { Scope } from "./scope.ts";
import type { CreatedVia } from "./status.ts";

export const CONFIRMS = ["self", "person"] as const;
/** Who confirms what is previewed with a credential: its holder, or a person on an approval page. */
export type Confirms = (typeof CONFIRMS)[number];

/** The authenticated caller. It follows from the credential, never from a parameter of the request. */
export interface Actor {
  readonly userId: string;
  /** The workspace in which the call works: no call reads or changes anything of another one. */
  readonly workspaceId: string;
  /**
   * What chose the workspace: the credential that is pinned to it, the request that names it, or the user who made it the
   * active one.
   */
  readonly workspaceFrom: "credential" | "request" | "user";
  readonly plan: Plan;
  /** What the user may have and do: the limits of the plan, or the lower ones of a trial. */
  readonly limits: PlanLimits;
  readonly isTrial: boolean;
  /** False if the trial or the subscription has ended. Operations then respond with 403. */
  readonly subscribed: boolean;
  readonly scopes: readonly Scope[];
  readonly credential:
    | { readonly kind: "api_key" | "oauth"; readonly id: string; readonly name: string; readonly confirms: Confirms }
    | { readonly kind: "session"; readonly id: string };
  readonly via: CreatedVia;
  /** The IANA time zone of the user's profile. */
  readonly timeZone: string;
  /** Whether the workspace records events, so that a change must also notify its webhooks. */
  readonly recordsEvents: boolean;
}

/** The workspace that the credential or the request fixes. Null for the active one, which may change between two calls. */
export function fixedWorkspace({ workspaceFrom, workspaceId }: Actor): string | null {
  return workspaceFrom === "user" ? null : workspaceId;
}

/**
 * Refuses a caller without a subscription. Runs before anything is read, so that the refusal does not reveal whether
 * something exists.
 */
export function requireSubscription({ subscribed }: Pick<Actor, "subscribed">): void {
  if (!subscribed) {
    refuse({
      code: "subscription_required",
      message: "the trial has ended or the subscription has lapsed: choose a plan in the dashboard",
    });
  }
}

/** The API key or app that made a change, with the name that it had then. */
export interface Author {
  readonly kind: "key" | "app";
  readonly id: string;
  readonly name: string;
}

/** The author of a change. Null if the user made it in the dashboard. */
export function authorOf({ credential }: Pick<Actor, "credential">): Author | null {
  return credential.kind === "session"
    ? null
    : { kind: credential.kind === "api_key" ? "key" : "app", id: credential.id, name: credential.name };
}

/** Who confirms what the actor previews. In the dashboard, a person confirms directly. */
export function confirmsOf({ credential }: Pick<Actor, "credential">): Confirms {
  return credential.kind === "session" ? "self" : credential.confirms;
}
