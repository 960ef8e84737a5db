import { refuse } from "#core/errors.ts";
import type { Plan } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { type CreatedUser, createUser } from "./create.ts";
import { requireSetupCode } from "./setup-code.ts";
import { countUsers } from "./store.ts";

/** Whether anybody can create an account now. */
export async function signUpIsOpen(services: Pick<Services, "db" | "config">): Promise<boolean> {
  switch (services.config.signup) {
    case "open":
      return true;
    case "closed":
      return false;
    case "first":
      return (await countUsers(services.db)) === 0;
  }
}

/**
 * Refuses a sign-up if nobody may create an account. The words are the same for every caller, because the answer must
 * not depend on an e-mail address.
 */
export async function refuseUnlessOpen(services: Pick<Services, "db" | "config">): Promise<void> {
  if (!(await signUpIsOpen(services))) {
    refuse({ code: "invalid_request", message: "sign-up is closed: ask the operator of this service for an account" });
  }
}

/** Creates a user with a trial, if the operator's setting for sign-ups allows it. */
export async function signUp(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  input: { email: string; password: string; plan: Plan; timeZone: string; setupCode: string },
): Promise<CreatedUser> {
  const policy = services.config.signup;
  if (policy === "closed") {
    refuse({ code: "invalid_request", message: "sign-up is closed: ask the operator of this service for an account" });
  }
  requireSetupCode(services.config, input.setupCode);
  return createUser(services, { ...input, onlyFirst: policy === "first" });
}
