import { hasControlCharacter } from "#core/text.ts";
import { type Confirms, CONFIRMS } from "#core/actor.ts";
import { refuse } from "#core/errors.ts";
import { type Scope, SCOPES } from "#core/scope.ts";

/* Validates the form fields of the account pages. Every error message says what to enter. */

const EMAIL_MAX = 254;
// Requires one @ with text on both sides, a dot in the domain, no whitespace and no control characters. A stricter rule
// would refuse valid addresses.
const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u;
const PASSWORD_MIN = 12;
const PASSWORD_MAX = 256;
const NAME_MAX = 60;

function refuseInput(param: string, message: string): never {
  return refuse({ code: "invalid_request", message, param });
}

/** Trims an e-mail address and writes it in lower case, so that every spelling finds the same user. */
export function parseEmail(input: string): string {
  const email = input.trim().toLowerCase();
  if (email.length > EMAIL_MAX || !email.isWellFormed() || !EMAIL.test(email)) {
    refuseInput("email", "enter an e-mail address like name@example.com");
  }
  return email;
}

/** Checks only the length of a password, because rules about kinds of characters lead to weaker passwords. */
export function parsePassword(input: string, param = "password"): string {
  const length = [...input.normalize("NFKC")].length;
  if (length < PASSWORD_MIN) {
    refuseInput(param, `the password must have at least ${PASSWORD_MIN} characters`);
  }
  if (length > PASSWORD_MAX) {
    refuseInput(param, `the password must have at most ${PASSWORD_MAX} characters`);
  }
  if (!input.isWellFormed()) {
    refuseInput(param, "the password contains a character that cannot be used: type it again");
  }
  return input;
}

/**
 * Returns the canonical spelling of a time zone's IANA name. An offset like `+02:00` is refused, because it has no
 * daylight saving time.
 */
export function parseTimeZone(input: string): string {
  try {
    if (/^[A-Za-z]/.test(input)) {
      return new Intl.DateTimeFormat("en", { timeZone: input }).resolvedOptions().timeZone;
    }
  } catch {
    // `Intl` throws for an unknown zone name. The refusal below tells the user.
  }
  return refuseInput("time_zone", "choose a time zone like Europe/Berlin");
}

/** Validates the name of an API key or a passkey. */
export function parseName(input: string): string {
  const name = input.trim();
  if (name === "" || [...name].length > NAME_MAX || !name.isWellFormed() || hasControlCharacter(name)) {
    refuseInput("name", `the name must have 1 to ${NAME_MAX} characters`);
  }
  return name;
}

/** Validates who confirms what is previewed with a key or by an app. */
export function parseConfirms(input: string): Confirms {
  return CONFIRMS.find((known) => known === input) ?? refuseInput("confirms", "choose who confirms posts");
}

/** The workspace of a new key or app does not exist, or is another user's. */
export function refuseUnknownPin(): never {
  return refuseInput("workspace", "this workspace does not exist: reload the page and choose again");
}

const SCOPE_SET: ReadonlySet<string> = new Set(SCOPES);

function isScope(value: string): value is Scope {
  return SCOPE_SET.has(value);
}

/** Keeps the known scopes, in their canonical order and without duplicates. */
export function sortScopes(values: Iterable<string>): Scope[] {
  const requested = new Set(values);
  return SCOPES.filter((scope) => requested.has(scope));
}

export function parseScopes(input: readonly string[]): Scope[] {
  const unknown = input.find((value) => !isScope(value));
  if (unknown !== undefined) {
    refuseInput("scopes", "one of the permissions does not exist: reload the page and choose again");
  }
  const scopes = sortScopes(input);
  if (scopes.length === 0) {
    refuseInput("scopes", "choose at least one permission");
  }
  return scopes;
}
