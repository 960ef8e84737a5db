import { refuse } from "#core/errors.ts";
import { type Scope, SCOPES } from "#core/scope.ts";

/*
 * What people type into the identity pages. Every refusal is a sentence they can act on.
 */

const EMAIL_MAX = 254;
// One @, something on both sides, a dot in the domain, nothing invisible: what is more is for the mail server to say.
const EMAIL = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u;
const PASSWORD_MIN = 12;
const PASSWORD_MAX = 256;
const NAME_MAX = 60;

function invalid(param: string, message: string): never {
  return refuse({ code: "invalid_request", message, param });
}

/** Trimmed and in lower case: an e-mail names one person however it is typed. */
export function parseEmail(input: string): string {
  const email = input.trim().toLowerCase();
  if (email.length > EMAIL_MAX || !email.isWellFormed() || !EMAIL.test(email)) {
    invalid("email", "enter an e-mail address like name@example.com");
  }
  return email;
}

/** Length is the only rule: composition rules make passwords worse. */
export function parsePassword(input: string, param = "password"): string {
  const length = [...input.normalize("NFKC")].length;
  if (length < PASSWORD_MIN) {
    invalid(param, `the password needs at least ${PASSWORD_MIN} characters`);
  }
  if (length > PASSWORD_MAX) {
    invalid(param, `the password can have at most ${PASSWORD_MAX} characters`);
  }
  if (!input.isWellFormed()) {
    invalid(param, "the password holds a broken character");
  }
  return input;
}

/** The zone's own spelling of an IANA name; an offset like `+02:00` knows no summer and is no zone. */
export function parseTimeZone(input: string): string {
  try {
    if (/^[A-Za-z]/.test(input)) {
      return new Intl.DateTimeFormat("en", { timeZone: input }).resolvedOptions().timeZone;
    }
  } catch {
    // Not a name the runtime knows: the sentence below says what is.
  }
  return invalid("time_zone", "choose a time zone like Europe/Berlin");
}

/** A label that a person gives to a key or a passkey. */
export function parseName(input: string): string {
  const name = input.trim();
  if (name === "" || [...name].length > NAME_MAX || !name.isWellFormed() || /\p{Cc}/u.test(name)) {
    invalid("name", `the name needs 1 to ${NAME_MAX} characters`);
  }
  return name;
}

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

function isScope(word: string): word is Scope {
  return KNOWN.has(word);
}

/** The product's order, each once. */
export function orderScopes(words: Iterable<string>): Scope[] {
  const wanted = new Set(words);
  return SCOPES.filter((scope) => wanted.has(scope));
}

export function parseScopes(input: readonly string[]): Scope[] {
  const unknown = input.find((word) => !isScope(word));
  if (unknown !== undefined) {
    invalid("scopes", "one of the scopes does not exist");
  }
  const scopes = orderScopes(input);
  if (scopes.length === 0) {
    invalid("scopes", "choose at least one scope");
  }
  return scopes;
}
