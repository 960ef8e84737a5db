import { MINUTE } from "#core/clock.ts";
import type { Facts } from "#operator/facts.ts";
import { green, red, type Row, yellow } from "./row.ts";

/** What the service should be. */
export interface Expected {
  /** Null where it is not known: on this machine the service runs what is being worked on. */
  readonly version: string | null;
  readonly origin: string;
  /** Names of the migration files. */
  readonly migrations: readonly string[];
  /** When the running version was deployed; null on this machine, where nobody remembers it. */
  readonly deployedAt: number | null;
}

const CRON_MAX_AGE_MS = 3 * MINUTE;

const PARTS = {
  database: "the D1 database (DB)",
  tokens: "the key-value store (TOKENS)",
  media: "the bucket (MEDIA)",
  objects: "the objects (WATCH)",
} as const;

function versionRow({ version }: Facts, expected: Expected): Row {
  return expected.version === null || expected.version === version
    ? green("Version", version)
    : yellow("Version", `${version} runs, this folder has ${expected.version}: npm run deploy`);
}

function originRow({ origin }: Facts, expected: Expected): Row {
  if (origin !== expected.origin) {
    return red(
      "ORIGIN",
      `the service believes to be ${origin}, the settings say ${expected.origin}: npm run deploy -- --new-origin if that is meant`,
    );
  }
  const isSecure = origin.startsWith("https://") || ["localhost", "127.0.0.1"].includes(new URL(origin).hostname);
  return isSecure
    ? green("ORIGIN", origin)
    : red("ORIGIN", `${origin} is not https: platforms send people to no such address`);
}

function partRow({ health }: Facts): Row {
  const failing = Object.entries(PARTS).flatMap(([part, name]) =>
    health[part as keyof typeof PARTS] === "ok" ? [] : [name],
  );
  return failing.length === 0
    ? green("Parts", "database, key-value store, bucket and objects answer")
    : red(
        "Parts",
        `no answer from ${failing.join(", ")}: look at https://www.cloudflarestatus.com, then npm run deploy`,
      );
}

function publishingRow({ health: { publishing } }: Facts): Row {
  switch (publishing) {
    case "ok":
      return green("Publishing", "not held");
    case "PUBLISHING=hold":
      return yellow("Publishing", "held by PUBLISHING=hold: take the setting away and deploy");
    default:
      return red("Publishing", `${publishing}; npm run service -- release --remote starts the review after a restore`);
  }
}

function migrationRow({ migrations }: Facts, expected: Expected): Row {
  if (migrations === null) {
    return red("Migrations", "the list of applied migrations cannot be read: npm run deploy applies them");
  }
  const missing = expected.migrations.filter((name) => !migrations.includes(name));
  const newer = migrations.filter((name) => !expected.migrations.includes(name));
  if (missing.length > 0) {
    return red("Migrations", `not applied: ${missing.join(", ")}: npm run deploy`);
  }
  return newer.length > 0
    ? yellow("Migrations", `the database has newer ones than this folder: ${newer.join(", ")}: git pull`)
    : green("Migrations", `${migrations.length} applied, as many as files`);
}

function tokenKeyRows({ tokenKeys }: Facts): Row[] {
  const { isJson, keys, sealingId, sealed } = tokenKeys;
  if (!isJson) {
    return [
      red("TOKEN_KEYS", 'not a JSON object like {"k1":"<openssl rand -base64 32>"}: nobody can connect an account'),
    ];
  }
  const wrong = keys.filter(({ isRight }) => !isRight).map(({ id }) => id);
  const lacking = sealed.filter(({ id }) => !keys.some((key) => key.id === id));
  const rows = sealed.map(({ id, rows: count }) => `${id}: ${count}`).join(", ");
  const others = sealed.filter(({ id }) => id !== sealingId);
  return [
    wrong.length > 0
      ? red("TOKEN_KEYS", `not 32 bytes in base64: ${wrong.join(", ")}`)
      : green(
          "TOKEN_KEYS",
          `${keys.length === 1 ? "one key" : `${keys.length} keys`} of 32 bytes: ${keys.map(({ id }) => id).join(", ")}`,
        ),
    keys.some(({ id }) => id === sealingId)
      ? green("TOKEN_KEY_ID", sealingId)
      : red(
          "TOKEN_KEY_ID",
          `${sealingId === "" ? "it is not set" : `TOKEN_KEYS has no ${sealingId}`}: set it to one of ${keys.map(({ id }) => id).join(", ")}`,
        ),
    lacking.length > 0
      ? red(
          "Sealed rows",
          `TOKEN_KEYS lacks ${lacking.map(({ id, rows: count }) => `${id} (${count} rows)`).join(", ")}: put the key back, or these logins must be connected again`,
        )
      : green(
          "Sealed rows",
          `${rows === "" ? "none" : rows}${others.length === 0 ? "" : "; keep each key until its rows are 0"}`,
        ),
  ];
}

function cronRow({ cronRanAt, now }: Facts, { deployedAt }: Expected): Row {
  if (cronRanAt === null || cronRanAt === 0) {
    if (deployedAt === null || now - deployedAt < CRON_MAX_AGE_MS) {
      return yellow("Cron", "the service waits for the first run of the cron, within a minute: run this again then");
    }
    return red("Cron", "it has never run: look at the Worker's cron triggers (npm run deploy sets them)");
  }
  const seconds = Math.round((now - cronRanAt) / 1000);
  return now - cronRanAt < CRON_MAX_AGE_MS
    ? green("Cron", `ran ${seconds} s ago`)
    : red(
        "Cron",
        `last ran ${new Date(cronRanAt).toISOString()}, ${Math.round(seconds / 60)} minutes ago: look at the Worker's cron triggers and its log`,
      );
}

function mailRow({ mail }: Facts): Row {
  if (mail.isBound && mail.from !== null) {
    return green("Mail", `from ${mail.from}`);
  }
  return mail.from === null
    ? yellow("Mail", "MAIL_FROM is not set: no password resets, no mails about what needs attention")
    : red("Mail", `MAIL_FROM is ${mail.from}, and the Worker has no e-mail service: npm run deploy binds it`);
}

function signUpRow({ signUp }: Facts): Row {
  return signUp.lacksCode && !signUp.hasUsers
    ? red("Sign-up", "nobody can be the first user: set SETUP_CODE and deploy")
    : green("Sign-up", `${signUp.mode}${signUp.hasUsers ? "" : ", nobody yet"}`);
}

/** Everything about the service itself. */
export function checkFacts(facts: Facts, expected: Expected): Row[] {
  return [
    versionRow(facts, expected),
    originRow(facts, expected),
    partRow(facts),
    migrationRow(facts, expected),
    ...tokenKeyRows(facts),
    cronRow(facts, expected),
    publishingRow(facts),
    mailRow(facts),
    signUpRow(facts),
  ];
}
