import { DAY } from "#core/clock.ts";
import type { Plan } from "#core/plan.ts";
import type { Services } from "#context.ts";
import { countAccountMail } from "#auth/store-account-mails.ts";
import { issueLoginToken } from "#auth/store-login-tokens.ts";
import type { Mailer } from "#core/mailer.ts";
import { parseEmail } from "#auth/parse-inputs.ts";
import { tryCreateUser } from "./create.ts";
import { requireSetupCode } from "./setup-code.ts";
import { refuseUnlessOpen } from "./sign-up.ts";
import { signUpState } from "./store.ts";

const LINK_LIFETIME_MS = DAY;

/**
 * Signs a user up on an installation that can send e-mails. The caller learns nothing about the address; its owner gets
 * a link that sets the first password. Without a password nobody can sign in, so a sign-in does not reveal whether the
 * address was new.
 */
export async function signUpByEmail(
  services: Pick<Services, "db" | "clock" | "ids" | "config" | "defer">,
  mailer: Mailer,
  input: { email: string; plan: Plan; timeZone: string; setupCode: string },
): Promise<void> {
  const email = parseEmail(input.email);
  await refuseUnlessOpen(services);
  requireSetupCode(services.config, input.setupCode);
  await tryCreateUser(services, { ...input, email, password: null, onlyFirst: services.config.signup === "first" });
  services.defer(sendSignUpMail(services, mailer, email));
}

async function sendSignUpMail(
  services: Pick<Services, "db" | "clock" | "ids" | "config">,
  mailer: Mailer,
  email: string,
): Promise<void> {
  const { authUrl } = services.config;
  const user = await signUpState(services.db, email);
  const kind = user?.finished === true ? "notice" : "link";
  if (user === null || !(await countAccountMail(services, { email, kind }))) {
    return;
  }
  if (user.finished) {
    await mailer.send({
      to: email,
      subject: "You already have an Almanac account",
      text: `Somebody entered this e-mail address to create an Almanac account, but it has one already.\n\nSign in:\n${authUrl}/login\n\nIf you forgot your password, set a new one:\n${authUrl}/password/forgot\n\nIf this was not you, ignore this e-mail: nothing has changed.`,
    });
    return;
  }
  const token = await issueLoginToken(services, {
    userId: user.id,
    purpose: "reset_password",
    lifetimeMs: LINK_LIFETIME_MS,
  });
  await mailer.send({
    to: email,
    subject: "Finish creating your Almanac account",
    text: `Set the password of your new Almanac account within a day:\n${authUrl}/password/reset?token=${token}\n\nIf you did not create an account, ignore this e-mail.`,
  });
}
