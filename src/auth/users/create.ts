import { refuse } from "#core/errors.ts";
import type { Plan, SubscriptionStatus } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { hashPassword } from "#auth/passwords/password-hash.ts";
import { periodEndFor } from "#auth/subscriptions/access.ts";
import { insertUser } from "./store.ts";
import { parseEmail, parsePassword, parseTimeZone } from "#auth/parse-inputs.ts";

export interface NewUser {
  readonly email: string;
  /** The password; null for a user who does not sign in with one. */
  readonly password: string | null;
  readonly plan: Plan;
  /** The status of the first subscription. The default is a trial that starts now. */
  readonly subscription?: SubscriptionStatus;
  readonly timeZone?: string;
  /**
   * Creates the user only if the installation has none. The insert itself checks this, so that only one of two parallel
   * calls succeeds.
   */
  readonly onlyFirst?: boolean;
}

export interface CreatedUser {
  readonly userId: string;
  readonly workspaceId: string;
}

export type CreationOutcome =
  | { readonly outcome: "created"; readonly user: CreatedUser }
  | { readonly outcome: "email_taken" | "not_first" };

/** Creates a user with a subscription and a first workspace in one transaction. */
export async function tryCreateUser(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: NewUser,
): Promise<CreationOutcome> {
  const { db, clock, ids } = services;
  const email = parseEmail(input.email);
  const timeZone = parseTimeZone(input.timeZone ?? "UTC");
  const passwordHash = input.password === null ? null : await hashPassword(ids, parsePassword(input.password));
  const now = clock.now();
  const status = input.subscription ?? "trialing";
  const user = { userId: ids.uuid(), workspaceId: ids.uuid() };
  const outcome = await insertUser(db, {
    ...user,
    email,
    passwordHash,
    timeZone,
    plan: input.plan,
    status,
    currentPeriodEnd: periodEndFor(status, now),
    createdAt: now,
    onlyFirst: input.onlyFirst ?? false,
  });
  return outcome === "created" ? { outcome, user } : { outcome };
}

/** Creates a user, or refuses and says why. */
export async function createUser(
  services: Pick<Services, "db" | "clock" | "ids">,
  input: NewUser,
): Promise<CreatedUser> {
  const created = await tryCreateUser(services, input);
  switch (created.outcome) {
    case "created":
      return created.user;
    case "email_taken":
      return refuse({
        code: "invalid_request",
        message: "there is already an account with this e-mail: sign in instead",
        param: "email",
      });
    case "not_first":
      return refuse({ code: "invalid_request", message: "sign-up is closed: this service already has a user" });
  }
}
